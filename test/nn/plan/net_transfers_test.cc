// Tests which tensors of a net are copied between host and device. transfers_test tests the order
// of the copies.
#include "nn/plan/net_transfers.h"

#include <string>

#include "support/net_test.h"
#include "support/prompt_gpu.h"

namespace singa {
namespace net_transfers_test {

// PassesRows stands for a layer on the host. PassesRowsThere computes on the device. The host
// checks the source of ChecksRowsThere.
class PassesRows : public Layer {
 public:
  Wiring wiring(const LayerProto&) const override { return {.row_wise = true}; }
  void Setup(const LayerProto&, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    out[0]->data.SetShape(in[0]->data.shape());
  }
  void ComputeFeature(Context&, Phase, Inputs, Outputs) override {}
  void ComputeGradient(Context&, Inputs, Outputs) override {}
};
SINGA_REGISTER_LAYER(PassesRows, PassesRows);
class PassesRowsThere final : public PassesRows {
 public:
  Traits traits() const override { return {.on_device = true}; }
};
SINGA_REGISTER_LAYER(PassesRowsThere, PassesRowsThere);
class ChecksRowsThere final : public PassesRows {
 public:
  Traits traits() const override { return {.on_device = true, .checks = 1}; }
};
SINGA_REGISTER_LAYER(ChecksRowsThere, ChecksRowsThere);

std::string Layer(const std::string& name, const std::string& type, const std::string& source) {
  return StrCat("layer { name: '", name, "' user_type: '", type, "' srclayers: '", source, "' }\n");
}

constexpr char kData[] =
    "layer { name: 'data' user_type: 'TestInput' dummy_conf { shape: 2 shape: 3 } }\n";
constexpr int64_t kFloats = 2 * 3 * 4, kLabels = 2 * 4;

class NetOnTwoSides {
 public:
  explicit NetOnTwoSides(const std::string& text, NetOptions options = KeepAll())
      : test_(text, options, false) {
    test_.ctx.stream = stream_.get();
    test_.ctx.uploads = beside_.get();
    OpenNet(test_.ctx, NetArena::Allocate(test_.ctx, PrepareNet(test_.ctx, &test_.net)),
            &test_.net);
  }

  int64_t Staged(const std::string& name) { return Find().StagedBytes(Place(name)); }
  bool ReadsDevice(const std::string& name) { return Find().ReadsDevice(Place(name)); }
  // Returns the transfers of the k-th node of the layer.
  const Transfers& Of(const std::string& name, size_t k = 0) {
    for (const NetNode& node : test_.net.nodes())
      if (node.name == name && k-- == 0) return test_.net.layout().transfers[node.place];
    throw std::out_of_range(name);
  }

 private:
  NetTransfers Find() { return {test_.net.nodes(), test_.net.layout()}; }
  size_t Place(const std::string& name) { return static_cast<size_t>(test_.net.Find(name)->place); }

  PromptGpu gpu_;
  const std::unique_ptr<Stream> stream_ = gpu_.NewStream(), beside_ = gpu_.NewStream();
  TestNet test_;
};

// Returns the bytes of each copy.
std::vector<int64_t> Sizes(const std::vector<Transfers::Copy>& copies) {
  std::vector<int64_t> sizes;
  for (const Transfers::Copy& copy : copies) sizes.push_back(copy.bytes);
  return sizes;
}

TEST(NetTransfers, NumbersAndLabelsOfTheHostGoToTheDeviceThatReadsThem) {
  NetOnTwoSides net(kData + Layer("there", "PassesRowsThere", "data"));
  EXPECT_EQ(Sizes(net.Of("data").of_feature), (std::vector<int64_t>{kFloats, kLabels}));
  EXPECT_EQ(net.Staged("data"), kFloats + kLabels);
  EXPECT_EQ(net.Of("data").staging.bytes(), kFloats + kLabels);
  EXPECT_TRUE(net.Of("data").to_device);
}

TEST(NetTransfers, AFeatureThatOneSideAloneReadsStaysThere) {
  NetOnTwoSides net(kData + Layer("here", "PassesRows", "data") +
                    Layer("there", "PassesRowsThere", "here") +
                    Layer("above", "PassesRowsThere", "there"));
  for (const char* name : {"data", "there"}) {
    EXPECT_TRUE(net.Of(name).of_feature.empty()) << name;
    EXPECT_EQ(net.Staged(name), 0) << name;
  }
  EXPECT_FALSE(net.Of("here").of_feature.empty());
}

TEST(NetTransfers, WhatTheDeviceMakesIsNotStaged) {
  NetOnTwoSides net(kData + Layer("there", "PassesRowsThere", "data") +
                    Layer("back", "PassesRows", "there"));
  EXPECT_EQ(Sizes(net.Of("there").of_feature).front(), kFloats);
  EXPECT_EQ(net.Staged("there"), 0);
  EXPECT_FALSE(net.Of("there").to_device);
}

TEST(NetTransfers, ANodeOnTheHostWaitsForItsSourceOnTheDevice) {
  NetOnTwoSides net(kData + Layer("there", "PassesRowsThere", "data") +
                    Layer("back", "PassesRows", "there"));
  EXPECT_FALSE(net.ReadsDevice("there"));
  EXPECT_TRUE(net.ReadsDevice("back"));
}

// Two readers make a split, which is on the device if one of them is.
TEST(NetTransfers, ASplitIsMadeWhereItsSourceIs) {
  NetOnTwoSides net(kData + Layer("there", "PassesRowsThere", "data") +
                    Layer("here", "PassesRows", "data") + Layer("back", "PassesRows", "there") +
                    Layer("above", "PassesRowsThere", "there"));
  EXPECT_FALSE(net.ReadsDevice("here"));
  EXPECT_TRUE(net.ReadsDevice("back"));
}

TEST(NetTransfers, ACheckOnTheHostWaitsForWhatTheDeviceMakes) {
  NetOnTwoSides net(kData + Layer("first", "ChecksRowsThere", "data") +
                    Layer("second", "ChecksRowsThere", "first") +
                    Layer("third", "PassesRowsThere", "second"));
  EXPECT_FALSE(net.ReadsDevice("first"));  // the host made it
  EXPECT_TRUE(net.ReadsDevice("second"));
  EXPECT_FALSE(net.ReadsDevice("third"));
}

// "fc" trains, on the device, and so needs the gradient of "back".
TEST(NetTransfers, AGradientGoesTheOtherWay) {
  NetOnTwoSides net(
      StrCat(kData,
             "layer { name: 'fc' type: kInnerProduct srclayers: 'data' param { name: 'w' } "
             "innerproduct_conf { num_output: 5 bias_term: false } }\n",
             Layer("back", "PassesRows", "fc"), Layer("there", "PassesRowsThere", "back"),
             "layer { name: 'loss' user_type: 'TestLoss' srclayers: 'there' }"));
  EXPECT_EQ(Sizes(net.Of("back").of_gradient), std::vector<int64_t>{2 * 5 * 4});
  EXPECT_TRUE(net.Of("back").reads_device_grad);
  EXPECT_EQ(Sizes(net.Of("there").of_gradient), std::vector<int64_t>{2 * 5 * 4});
  EXPECT_FALSE(net.Of("there").reads_device_grad);
  EXPECT_TRUE(net.Of("fc").of_gradient.empty());  // nothing trains below it
}

TEST(NetTransfers, ANodeOfATimeStepCopiesItsStepAlone) {
  NetOptions options = KeepAll();
  options.fold = false;
  NetOnTwoSides net(
      StrCat("unroll_len: 2 layer { name: 'text' user_type: 'TestInput' ",
             "unroll_len: 1 split_conf { num_splits: 2 } ", "dummy_conf { shape: 2 shape: 3 } }\n",
             Layer("here", "PassesRows", "text"), Layer("there", "PassesRowsThere", "here")),
      options);
  const auto& first = net.Of("here", 0).of_feature;
  const auto& second = net.Of("here", 1).of_feature;
  EXPECT_EQ(Sizes(first), std::vector<int64_t>{kFloats});
  ASSERT_EQ(Sizes(second), std::vector<int64_t>{kFloats});
  EXPECT_EQ(static_cast<const char*>(second[0].from) - static_cast<const char*>(first[0].from),
            kFloats);
  EXPECT_EQ(static_cast<char*>(second[0].to) - static_cast<char*>(first[0].to), kFloats);
}

}  // namespace net_transfers_test
}  // namespace singa
