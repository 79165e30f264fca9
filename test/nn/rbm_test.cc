// Compares each side of an RBM by itself with the formulas. test/train/rbm_test.cc tests whole
// steps.
#include <cmath>

#include "support/layer_test.h"
#include "support/random_values.h"

namespace singa {
namespace {

constexpr int64_t kRows = 3, kVisible = 4, kHidden = 2;
constexpr Phase kFirst = static_cast<Phase>(kTrain | kForward | kPositive);
constexpr Phase kFirstNegative = static_cast<Phase>(kNegative | kTest);

// Returns left^T right: [a, b], summed over kRows rows.
Values Product(const Values& left, const Values& right) {
  const size_t a = left.size() / kRows, b = right.size() / kRows;
  Values product(a * b);
  for (int64_t r = 0; r < kRows; ++r)
    for (size_t i = 0; i < a; ++i)
      for (size_t j = 0; j < b; ++j) product[i * b + j] += left[r * a + i] * right[r * b + j];
  return product;
}
const Values kOnes(kRows, 1);

// Returns means between 0 and 1.
Values Means(const std::string& name, int64_t n) {
  Values means = RandomValues(name, n);
  for (float& x : means) x = 1 / (1 + std::exp(-x));
  return means;
}

class RbmTest : public LayerTest {
 protected:
  // `side` is Vis or Hid.
  std::unique_ptr<BuiltLayer> BuildSide(const std::string& side, const std::string& settings,
                                        const std::vector<Input>& inputs) {
    return Build(StrCat("name: 'side' type: kRBM", side, " rbm_conf { hdim: 2 ", settings,
                        " } param { name: 'w' } param { name: 'b' }"),
                 inputs);
  }

  // Computes the gradient. Features and values between the passes do not change.
  static void ComputeGradient(BuiltLayer* layer) {
    std::vector<Port*> in;
    for (int i = 0; i < layer->num_inputs(); ++i) in.push_back(&layer->in(i));
    Port* const out[] = {&layer->out(0)};
    layer->layer().ComputeGradient(layer->ctx(), in, out);
    for (Param* param : layer->declare().params()) param->CountContribution();
  }

  // Returns the visible means for a sample of `hid`, in negative pass `pass` of the step.
  static Values Visible(BuiltLayer* layer, const Values& hid, uint64_t pass) {
    const Philox random = layer->ctx().Random("side");
    const Values w = layer->ParamData("w"), b = layer->ParamData("b");
    Values vis(kRows * kVisible);
    for (int64_t r = 0; r < kRows; ++r)
      for (int64_t i = 0; i < kVisible; ++i) {
        double sum = b[i];
        for (int64_t j = 0; j < kHidden; ++j) {
          const int64_t unit = r * kHidden + j;
          if (random.Uniform((pass << 44) + unit) < hid[unit]) sum += w[j * kVisible + i];
        }
        vis[r * kVisible + i] = static_cast<float>(1 / (1 + std::exp(-sum)));
      }
    return vis;
  }

  static void ExpectGradient(const Values& got, const Values& negative, const Values& positive) {
    Values want(negative.size());
    for (size_t i = 0; i < want.size(); ++i) want[i] = (negative[i] - positive[i]) / kRows;
    ExpectNear(got, want, 1e-6);
  }
};
SINGA_TEST_ON_ALL_DEVICES(RbmTest);

TEST_P(RbmTest, TheVisibleSideIsReconstructedAndGivesTheWeightsGradient) {
  const Values x = Means("x", kRows * kVisible);
  const Values before = Means("before", kRows * kHidden), after = Means("after", kRows * kHidden);
  const auto layer =
      BuildSide("Vis", "", {{.shape = {kRows, kVisible}, .data = x}, {.shape = {kRows, kHidden}}});
  for (int step : {0, 1}) {
    layer->BeginStep(step);
    layer->SetInput(1, before);
    layer->Forward(kFirst);
    EXPECT_EQ(layer->Output(), x);
    layer->Forward(kFirstNegative);
    const Values vis = layer->Output();
    ExpectNear(vis, Visible(layer.get(), before, 0), 1e-6);
    double error = 0;
    for (size_t i = 0; i < x.size(); ++i) error += std::pow(double{x[i]} - vis[i], 2);
    EXPECT_NEAR(layer->metric("squared_error"), error / kRows, 1e-6);
    layer->SetInput(1, after);
    layer->Forward(kNegative);
    const Values last = layer->Output();
    ExpectNear(last, Visible(layer.get(), after, 1), 1e-6);
    ComputeGradient(layer.get());
    ExpectGradient(layer->ParamGradient(0), Product(after, last), Product(before, x));
    ExpectGradient(layer->ParamGradient(1), Product(kOnes, last), Product(kOnes, x));
  }
}

TEST_P(RbmTest, APersistentChainGoesOnWhereItWas) {
  const Values x = Means("x", kRows * kVisible);
  const Values before = Means("before", kRows * kHidden), after = Means("after", kRows * kHidden);
  const auto layer = BuildSide("Vis", "persistent: true",
                               {{.shape = {kRows, kVisible}, .data = x}, {.shape = {kRows, 2}}});
  Values chain(kRows * kHidden, 0);
  for (int step : {0, 1}) {
    layer->BeginStep(step);
    layer->SetInput(1, before);
    layer->Forward(kFirst);
    layer->Forward(kFirstNegative);
    ExpectNear(layer->Output(), Visible(layer.get(), chain, 1), 1e-6);
    layer->SetInput(1, after);
    layer->Forward(kNegative);
    ComputeGradient(layer.get());
    chain = after;
  }
}

TEST_P(RbmTest, TheHiddenSideGivesItsBiasGradient) {
  const Values x = Means("x", kRows * kVisible), end = Means("end", kRows * kVisible);
  const auto layer = BuildSide("Hid", "", {{.shape = {kRows, kVisible}, .data = x}});
  layer->BeginStep(0);
  layer->Forward(kFirst);
  const Values positive = layer->Output();
  layer->SetInput(0, end);
  layer->Forward(kNegative);
  const Values negative = layer->Output();
  ComputeGradient(layer.get());
  const Values sums = Product(kOnes, positive), end_sums = Product(kOnes, negative);
  ExpectGradient(layer->ParamGradient(1), end_sums, sums);
  ComputeGradient(layer.get());  // adds
  Values twice = layer->ParamGradient(1);
  for (float& value : twice) value /= 2;
  ExpectGradient(twice, end_sums, sums);
  const Values w = layer->ParamData("w"), b = layer->ParamData("b");
  for (int64_t r = 0; r < kRows; ++r)
    for (int64_t j = 0; j < kHidden; ++j) {
      double sum = b[j];
      for (int64_t i = 0; i < kVisible; ++i) sum += w[j * kVisible + i] * x[r * kVisible + i];
      EXPECT_NEAR(positive[r * kHidden + j], 1 / (1 + std::exp(-sum)), 1e-6);
    }
}

}  // namespace
}  // namespace singa
