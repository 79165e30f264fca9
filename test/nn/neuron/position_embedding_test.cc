#include <cmath>

#include "nn/neuron/position_embedding_elements.h"
#include "support/elements.h"
#include "support/layer_test.h"
#include "support/random_values.h"

namespace singa {
namespace position_embedding {

class PositionEmbeddingTest : public LayerTest {};
SINGA_TEST_ON_ALL_DEVICES(PositionEmbeddingTest);

const std::string kOfThree = "type: kPositionEmbedding position_embedding_conf { max_steps: 3 } ";
const RunOptions kTable = {.params = {{"0", {1, 2, 10, 20, 100, 200}}}};

// Returns a source of `steps` time steps.
Input Steps(const Shape& shape, int64_t steps, const Values& data = {}) {
  const int64_t rows = shape[0] / steps;
  return {.shape = shape, .data = data, .span = {.rows = rows, .batch = rows, .steps = steps}};
}

TEST_P(PositionEmbeddingTest, AddsTheRowOfTheTimeStep) {
  EXPECT_EQ(Feature(kOfThree, {Steps({4, 2}, 2, {0, 0, 1, 1, 2, 2, 3, 3})}, kTable),
            (Values{1, 2, 2, 3, 12, 22, 13, 23}));
}

TEST_P(PositionEmbeddingTest, ANodeOfOneTimeStepAddsTheRowOfThatStep) {
  EXPECT_EQ(Feature(kOfThree + "unroll_index: 2", {2, 2}, {0, 0, 1, 1}, kTable),
            (Values{100, 200, 101, 201}));
}

// The numbers are computed by hand. There are two rows a time step, and no third step.
TEST_P(PositionEmbeddingTest, GradientOfARowIsTheSumOverItsTimeStep) {
  const Input source = Steps({4, 2}, 2, Values(8));
  const Values dy = {1, 2, 3, 4, 5, 6, 7, 8};
  const RunResult run = Gradients(kOfThree, {source}, {dy}, kTable);
  EXPECT_EQ(run.param_grads[0], (Values{4, 6, 12, 14, 0, 0}));
  EXPECT_EQ(run.input_grads[0], dy);
  EXPECT_EQ(Gradients(kOfThree + "unroll_index: 1", {2, 2}, Values(4), {1, 2, 3, 4}, kTable)
                .param_grads[0],
            (Values{0, 0, 4, 6, 0, 0}));
}

TEST_P(PositionEmbeddingTest, AnImageHasItsUnitsInLogicalOrder) {
  const std::string conf = "type: kPositionEmbedding position_embedding_conf { max_steps: 2 }";
  const Values x = Pattern(24, 7), table = Pattern(12, 5), dy = Pattern(24, 2);
  const RunResult run =
      Gradients(conf, {Steps({4, 3, 1, 2}, 2, x)}, {dy}, {.params = {{"0", table}}});
  for (int64_t i = 0; i < 24; ++i) EXPECT_EQ(run.outputs[0][i], x[i] + table[i / 12 * 6 + i % 6]);
  for (int64_t i = 0; i < 12; ++i)
    EXPECT_EQ(run.param_grads[0][i], dy[i / 6 * 12 + i % 6] + dy[i / 6 * 12 + 6 + i % 6]);
}

// The check also covers a second contribution, missing gradients, and use in place.
TEST_P(PositionEmbeddingTest, GradientMatchesDifferences) {
  ExpectGradient("type: kPositionEmbedding position_embedding_conf { max_steps: 7 }",
                 {Steps({15, 19}, 5)});
  ExpectGradient(kOfThree + "unroll_index: 1", {Steps({3, 5}, 1)});
  ExpectGradient(kOfThree, {Steps({6, 3, 2, 3}, 3)});
}

TEST_P(PositionEmbeddingTest, ThreadsChangeNoBit) {
  const std::string conf = "type: kPositionEmbedding position_embedding_conf { max_steps: 41 }";
  const int64_t size = 41 * 25 * 203;
  const Input source = Steps({41 * 25, 203}, 41, RandomValues("x", size));
  const Values dy = RandomValues("dy", size);
  const RunResult one = Gradients(conf, {source}, {dy});
  ctx_.threads = 3;
  const RunResult three = Gradients(conf, {source}, {dy});
  EXPECT_EQ(one.outputs, three.outputs);
  EXPECT_EQ(one.param_grads, three.param_grads);
}

TEST_P(PositionEmbeddingTest, TableStartsAsNormalNumbers) {
  const auto layer = Build(kOfThree, {2, 5});
  EXPECT_EQ(layer->param("0").shape(), Shape({3, 5}));
  EXPECT_EQ(layer->param("0").conf().init().type(), kGaussian);
  EXPECT_EQ(layer->param("0").conf().init().std(), 1);
}

TEST_P(PositionEmbeddingTest, RejectsMistakes) {
  const std::string field = "position_embedding_conf.max_steps";
  EXPECT_CONFIG_ERROR_SAYS(Build("type: kPositionEmbedding", {2, 5}), field, "must be >= 1, is 0");
  EXPECT_CONFIG_ERROR_SAYS(
      Build("type: kPositionEmbedding position_embedding_conf { max_steps: -4 }", {2, 5}), field,
      "must be >= 1, is -4");
  EXPECT_CONFIG_ERROR_SAYS(Build(kOfThree, {Steps({8, 2}, 4)}), field,
                           "must be >= 4, one row for each time step; is 3");
  EXPECT_CONFIG_ERROR_SAYS(Build(kOfThree + "unroll_index: 3", {2, 5}), field, "must be >= 4");
  EXPECT_CONFIG_ERROR_SAYS(Build(kOfThree, Shape({4})), "srclayers", "must have rows of units");
}

// The elements are those of a device's threads, run on the host.
TEST(PositionEmbeddingElements, HaveTheBitsOfTheKernels) {
  Context ctx;
  for (auto [steps, rows, d] : {std::array<int64_t, 3>{1, 1, 1}, {3, 5, 12}, {7, 2, 9}})
    for (float beta : {0.f, 1.f}) {
      const Values x = RandomValues("x", steps * rows * d), table = RandomValues("t", steps * d);
      Values want(x.size()), y(x.size(), NAN), dtable = beta == 0 ? Values(steps * d, NAN) : table;
      Values want_dtable = dtable;
      PositionEmbeddingForward(ctx, x.data(), table.data(), want.data(), steps, rows, d);
      RunElements(steps * rows * d, AddPosition<1>{x.data(), table.data(), y.data(), rows, d});
      EXPECT_EQ(y, want);
      std::fill(y.begin(), y.end(), NAN);
      if (d % 4 == 0) {
        RunElements(steps * rows * d / 4,
                    AddPosition<4>{x.data(), table.data(), y.data(), rows, d});
        EXPECT_EQ(y, want);
      }
      PositionEmbeddingBackward(ctx, x.data(), beta, want_dtable.data(), steps, rows, d);
      RunElements(steps * d, PositionGradient{x.data(), beta, dtable.data(), rows, d});
      EXPECT_EQ(dtable, want_dtable);
    }
}

}  // namespace position_embedding
}  // namespace singa
