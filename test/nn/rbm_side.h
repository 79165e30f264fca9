// RbmSideTest is the fixture of tests of one side of an RBM by itself.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "support/layer_test.h"
#include "support/random_values.h"

namespace singa::rbm {

inline constexpr int64_t kRows = 3, kVisible = 4, kHidden = 2;
inline constexpr Phase kFirst = static_cast<Phase>(kTrain | kForward | kPositive);
inline constexpr Phase kFirstNegative = static_cast<Phase>(kNegative | kTest);

// Returns left^T right: [a, b], summed over kRows rows.
inline Values Product(const Values& left, const Values& right) {
  const size_t a = left.size() / kRows, b = right.size() / kRows;
  Values product(a * b);
  for (int64_t r = 0; r < kRows; ++r)
    for (size_t i = 0; i < a; ++i)
      for (size_t j = 0; j < b; ++j) product[i * b + j] += left[r * a + i] * right[r * b + j];
  return product;
}
inline const Values kOnes(kRows, 1);

// Returns means between 0 and 1.
inline Values Means(const std::string& name, int64_t n) {
  Values means = RandomValues(name, n);
  for (float& x : means) x = 1 / (1 + std::exp(-x));
  return means;
}

class RbmSideTest : public LayerTest {
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
    for (Param* param : layer->declare().declared().params) param->CountContribution();
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

}  // namespace singa::rbm
