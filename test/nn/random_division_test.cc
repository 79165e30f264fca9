// Divides 200 random nets in random ways: by rows, by units, by grids of both and not at all. Holds
// the workers against the net of one. A seed gives the same net everywhere.
#include <algorithm>
#include <random>

#include "support/layer_test.h"
#include "support/nn/divided_net.h"

namespace singa {
namespace {

// Writes a net of images or rows, with branches, whose last features all go to a loss. Each layer
// has at least kUnits units, and each slice as many rows, so that kUnits workers can divide it.
class RandomNet {
 public:
  static constexpr int kUnits = 4;

  explicit RandomNet(uint32_t seed) : random_(seed), workers_(2 + Below(kUnits - 1)) {
    text_ = StrCat("partition_dim: ", Below(2), "\n");
    const bool image = Below(2) == 0;
    const bool cuts = Below(3) == 0;
    const int rows = (cuts ? 2 : 1) * (kUnits + Below(4)), units = kUnits + Below(3);
    const int side = 6 + Below(3);
    text_ += StrCat("layer { name: \"data\" type: kDummy dummy_conf { input: true shape: ", rows,
                    " shape: ", units);
    if (image) text_ += StrCat(" shape: ", side, " shape: ", side + Below(2));
    text_ += " } }\n";
    features_.push_back({"data", image ? side : 0, NewShape(), false, units});
    for (int layers = 3 + Below(6); layers > 0; --layers) AddLayer();
    if (cuts) CutRows();
    std::string ends;
    for (const Feature& feature : features_)
      if (!feature.read) ends += StrCat(" srclayers: \"", feature.layer, "\"");
    text_ += StrCat("layer { name: \"loss\" user_type: \"TestLoss\"", ends, " }\n");
  }

  const std::string& text() const { return text_; }
  int workers() const { return workers_; }

 private:
  struct Feature {
    std::string layer;
    int side;   // of an image, at most; 0: it is none
    int shape;  // features of one shape have the same number
    bool read = false;
    int units = 0;  // of a row; of an image: unused
  };

  int Below(int most) { return static_cast<int>(random_() % static_cast<uint32_t>(most)); }

  std::string Division() {
    switch (Below(5)) {
      case 0:
        return "";  // the net's
      case 1:
        return " partition_grid { rows: 1 units: 1 }";
      case 2: {
        const int rows = workers_ == 4 ? 1 << Below(3) : Below(2) == 0 ? 1 : workers_;
        return StrCat(" partition_grid { rows: ", rows, " units: ", workers_ / rows, " }");
      }
      default:
        return StrCat(" partition_dim: ", Below(2));
    }
  }

  int NewShape() { return next_shape_++; }

  // Mostly the last feature is read, else any.
  void AddLayer() {
    const size_t count = features_.size();
    if (Below(4) == 0 && AddSum()) return;
    Feature& source = features_[Below(4) > 0 ? count - 1 : static_cast<size_t>(Below(count))];
    source.read = true;
    const std::string name = StrCat("l", count);
    Feature to = {name, source.side, source.shape, false, source.units};
    const std::string what = to.side >= 4 && Below(4) > 0 ? OfImage(name, &to) : OfAny(name, &to);
    text_ += StrCat("layer { name: \"", name, "\" srclayers: \"", source.layer, "\" ", what);
    text_ += Division() + " }\n";
    features_.push_back(to);
  }

  // Joins the last feature and another of its shape. Returns whether there is one.
  bool AddSum() {
    const size_t count = features_.size();
    Feature& last = features_.back();
    for (Feature& other : features_) {
      if (other.shape != last.shape || &other == &last) continue;
      last.read = other.read = true;
      constexpr const char* kOperations[] = {"SUM", "PROD", "MAX"};
      const std::string name = StrCat("l", count);
      text_ +=
          StrCat("layer { name: \"", name, "\" type: kEltwise srclayers: \"", last.layer,
                 "\" srclayers: \"", other.layer,
                 "\" eltwise_conf { operation: ", kOperations[Below(3)], " } ", Division(), " }\n");
      features_.push_back({name, last.side, last.shape, false, last.units});
      return true;
    }
    return false;
  }

  // Cuts the rows of a feature into two slices, and joins them in half of the nets. Other layers
  // read all of these.
  void CutRows() {
    Feature& source = features_[static_cast<size_t>(Below(static_cast<int>(features_.size())))];
    source.read = true;
    const int side = source.side, shape = source.shape, units = source.units;
    const bool joins = Below(2) == 0;
    text_ += StrCat("layer { name: \"slice\" type: kSlice srclayers: \"", source.layer,
                    "\" slice_conf { num_slices: 2 } }\n");
    for (const char* name : {"slice:0", "slice:1"})
      features_.push_back({name, side, NewShape(), joins, units});
    if (joins) {
      text_ +=
          "layer { name: \"join\" type: kConcate srclayers: \"slice:1\" srclayers: \"slice:0\" }\n";
      features_.push_back({"join", side, shape, false, units});
    }
    for (int layers = 2 + Below(3); layers > 0; --layers) AddLayer();
  }

  std::string OfImage(const std::string& name, Feature* to) {
    to->shape = NewShape();
    const std::string params =
        StrCat("param { name: \"", name, "w\" } param { name: \"", name, "b\" } ");
    switch (Below(4)) {
      case 3:
        to->side += 1;
        return StrCat("type: kDeconvolution ", params,
                      "convolution_conf { num_filters: ", kUnits + Below(5), " kernel: 2 }");
      case 0:
        to->side -= 2;
        return StrCat("type: kCConvolution ", params,
                      "convolution_conf { num_filters: ", kUnits + Below(5), " kernel: 3 }");
      case 1:
        return StrCat("type: kConvolution ", params,
                      "convolution_conf { num_filters: ", kUnits + Below(5), " kernel: 3 pad: 1 }");
      default:
        to->side /= 2;
        return StrCat("type: kPooling pooling_conf { kernel: 2 stride: 2 pool: ",
                      Below(2) ? "MAX" : "AVG", " }");
    }
  }
  std::string OfAny(const std::string& name, Feature* to) {
    constexpr const char* kTypes[] = {"kReLU", "kSigmoid", "kSTanh", "kDropout"};
    const int kind = Below(to->side > 0 ? 6 : 7);
    if (kind < 4) return StrCat("type: ", kTypes[kind]);
    if (kind == 4 && to->side > 0) return "type: kLRN lrn_conf { local_size: 3 }";
    if (kind == 6) return Attention(to->units);
    to->side = 0;
    to->shape = NewShape();
    to->units = kUnits + Below(6);
    return StrCat("type: kInnerProduct param { name: \"", name, "w\" } param { name: \"", name,
                  "b\" } innerproduct_conf { num_output: ", to->units, " }");
  }
  // Heads that the workers can divide, or else any number of heads.
  std::string Attention(int units) {
    int heads = units % workers_ == 0 ? workers_ : 1 + Below(units);
    while (units % heads != 0) --heads;
    return StrCat("type: kAttention attention_conf { num_heads: ", heads, " dropout_ratio: 0.2 }");
  }

  std::mt19937 random_;
  const int workers_;
  std::string text_;
  std::vector<Feature> features_;
  int next_shape_ = 0;
};

class RandomDivision : public ::testing::TestWithParam<uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Seeds, RandomDivision, ::testing::Range(0u, 20u));

TEST_P(RandomDivision, IsTheNetOfOne) {
  for (uint32_t seed = 10 * GetParam(); seed < 10 * GetParam() + 10; ++seed) {
    RandomNet net(seed);
    SCOPED_TRACE(StrCat("seed ", seed));
    const int workers = net.workers();
    ExpectTheNetOfOne(net.text(), workers);
    if (HasFatalFailure()) return;
  }
}

TEST(RandomNets, MostHaveBridges) {
  int count = 0;
  for (uint32_t seed = 0; seed < 200; ++seed) {
    RandomNet net(seed);
    NetOptions options;
    options.parts = net.workers();
    const TestNet part(net.text(), options, false);
    count += std::ranges::any_of(
        part.net.nodes(), [](const NetNode& node) { return node.name.starts_with("bridge"); });
  }
  EXPECT_GT(count, 120);
}

}  // namespace
}  // namespace singa
