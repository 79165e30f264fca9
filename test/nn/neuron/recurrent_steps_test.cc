// Tests the order of time steps, and the states at both ends of a batch. The cell is a kRNN's with
// one unit, whose step is h = tanh(0.5 x + 0.25 h').
#include "nn/neuron/recurrent_steps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "nn/neuron/rnn.h"

namespace singa {
namespace recurrent_steps_test {

constexpr Cell kCell = {.conf = "rnn_conf",
                        .gates = 1,
                        .kept = 1,
                        .of_input = {0},
                        .of_state = 0,
                        .step = &RnnStep,
                        .gradient = &RnnStepGradient};

Tensor Numbers(const std::vector<float>& numbers) {
  Tensor tensor = Tensor::Allocate({static_cast<int64_t>(numbers.size())});
  std::copy(numbers.begin(), numbers.end(), tensor.data());
  return tensor;
}

struct OneUnit {
  explicit OneUnit(const std::vector<float>& x) : size(static_cast<int64_t>(x.size())) {
    source.data = Numbers(x);
    source.grad = Numbers(x);
    output.data = Numbers(x);
    output.grad = Numbers(std::vector<float>(x.size(), 1));
    kept = Numbers(x);
    for (Param* weight : {&w, &u}) weight->grad = Numbers({0});
    w.data = Numbers({0.5f});
    u.data = Numbers({0.25f});
    tensors.params = {&w, &u};
    tensors.kept = &kept;
  }
  RecurrentSteps Make() const { return {kCell, {size, 1, 1, 1}, tensors}; }
  void Forward() { Compute(&RecurrentSteps::Forward); }
  void Backward() { Compute(&RecurrentSteps::Backward); }
  void Compute(void (RecurrentSteps::*pass)(Context&, Inputs, Outputs) const) {
    const RecurrentSteps steps = Make();
    std::vector<char> scratch(static_cast<size_t>(steps.scratch_bytes()));
    Context ctx;
    ctx.scratch = scratch.data();
    std::vector<Port*> in = {&source}, out = {&output};
    if (!first.data.empty()) in.push_back(&first);
    (steps.*pass)(ctx, in, out);
  }

  const int64_t size;  // time steps
  Param w{"w", "", "", {}, {1, 1}}, u{"u", "", "", {}, {1, 1}};
  Port source, first, output;
  Tensor kept;
  RecurrentSteps::Tensors tensors;
};

TEST(RecurrentSteps, EachStepReadsTheStateOfTheOneBefore) {
  OneUnit unit({1, -2, 3});
  unit.Forward();
  float h = 0;
  for (int t = 0; t < 3; ++t) {
    h = std::tanh(0.5f * unit.source.data.data()[t] + 0.25f * h);
    EXPECT_NEAR(unit.output.data.data()[t], h, 1e-6) << t;
  }
}

TEST(RecurrentSteps, TheFirstStepReadsTheStateThatASourceGives) {
  OneUnit unit({1});
  unit.first.data = Numbers({0.5f});
  unit.Forward();
  EXPECT_NEAR(unit.output.data.data()[0], std::tanh(0.5f + 0.125f), 1e-6);
}

TEST(RecurrentSteps, ACarriedStateIsTheFirstOfTheNextBatch) {
  OneUnit whole({1, 2, 3, 4}), half({1, 2});
  whole.Forward();
  Tensor carried = Numbers({0}), first = Numbers({7});
  half.tensors.carried_h = &carried;
  half.tensors.first_h = &first;
  half.Forward();
  half.source.data = Numbers({3, 4});
  half.Forward();
  EXPECT_NEAR(first.data()[0], whole.output.data.data()[1], 1e-6);
  EXPECT_NEAR(half.output.data.data()[1], whole.output.data.data()[3], 1e-6);
  EXPECT_EQ(carried.data()[0], half.output.data.data()[1]);
}

// z is the derivative of tanh at a step.
TEST(RecurrentSteps, AGradientGoesBackThroughAllSteps) {
  OneUnit unit({1, 2});
  unit.Forward();
  const float h0 = unit.output.data.data()[0], h1 = unit.output.data.data()[1];
  unit.Backward();
  const float z1 = 1 - h1 * h1, z0 = (1 + 0.25f * z1) * (1 - h0 * h0);
  EXPECT_NEAR(unit.source.grad.data()[0], 0.5f * z0, 1e-6);
  EXPECT_NEAR(unit.source.grad.data()[1], 0.5f * z1, 1e-6);
  EXPECT_NEAR(unit.w.grad.data()[0], z0 * 1 + z1 * 2, 1e-6);
  EXPECT_NEAR(unit.u.grad.data()[0], z1 * h0, 1e-6);
}

TEST(RecurrentSteps, OneStepNeedsNoRoomForPackedWeights) {
  EXPECT_LT(OneUnit({1}).Make().scratch_bytes(), OneUnit({1, 2}).Make().scratch_bytes());
}

}  // namespace recurrent_steps_test
}  // namespace singa
