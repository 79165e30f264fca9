#include "io/temp_dir.h"
#include "support/layer_test.h"
#include "support/random_values.h"

namespace singa {
namespace {

const char kSmall[] =
    "type: kEmbedding param { name: 't' } "
    "embedding_conf { vocab_size: 3 feature_dim: 2 }";
const RunOptions kTable = {.params = {{"t", {1, 2, 3, 4, 5, 6}}}};

class EmbeddingTest : public LayerTest {};
SINGA_TEST_ON_ALL_DEVICES(EmbeddingTest);

TEST_P(EmbeddingTest, LooksRowsUp) {
  EXPECT_EQ(Feature(kSmall, Shape({4}), {2, 0, 2, 1}, kTable), (Values{5, 6, 1, 2, 5, 6, 3, 4}));
  EXPECT_EQ(Feature(kSmall, {{.shape = {1, 1}, .data = {1}}}, kTable), (Values{3, 4}));
}

TEST_P(EmbeddingTest, ARowOfPaddingIsZero) {
  EXPECT_EQ(Feature(kSmall, Shape({2}), {-1, 0}, kTable), (Values{0, 0, 1, 2}));
}

// The numbers are computed by hand. Rows 0 and 2 of dy add up in row 2 of the table. Row 1 gets
// none, and padding adds to no row.
TEST_P(EmbeddingTest, AddsTheGradientsOfAnIndexThatOccursTwice) {
  const RunResult result =
      Gradients(kSmall, Shape({4}), {2, 0, 2, -1}, {1, 2, 10, 20, 100, 200, 7, 7}, kTable);
  EXPECT_EQ(result.param_grads[0], (Values{10, 20, 0, 0, 101, 202}));
  EXPECT_EQ(result.input_grads[0], (Values{0, 0, 0, 0}));
}

// The check also covers a second contribution and missing gradients.
TEST_P(EmbeddingTest, GradientMatchesDifferences) {
  ExpectGradient(
      "type: kEmbedding param { name: 't' } "
      "embedding_conf { vocab_size: 7 feature_dim: 19 }",
      {{.shape = {9}, .data = {6, 0, 3, 3, -1, 6, 6, 1, 5}, .gradient = false}});
}

TEST_P(EmbeddingTest, IsTheSameOnAllThreads) {
  constexpr int kRows = 3000, kSize = 101, kUnits = 70;
  const std::string conf =
      "type: kEmbedding param { name: 't' } "
      "embedding_conf { vocab_size: 101 feature_dim: 70 }";
  Values indices;
  for (int i = 0; i < kRows; ++i) indices.push_back(static_cast<float>(i * i % kSize - 1));
  const Values dy = RandomValues("dy", kRows * kUnits);
  const RunResult one = Gradients(conf, Shape({kRows}), indices, dy);
  ctx_.threads = 4;
  const RunResult four = Gradients(conf, Shape({kRows}), indices, dy);
  EXPECT_EQ(one.outputs, four.outputs);
  EXPECT_EQ(one.param_grads, four.param_grads);
  Values want(kSize * kUnits);
  for (int r = 0; r < kRows; ++r)
    for (int j = 0; j < kUnits; ++j)
      if (indices[r] >= 0) want[static_cast<int>(indices[r]) * kUnits + j] += dy[r * kUnits + j];
  EXPECT_EQ(four.param_grads[0], want);
}

TEST_P(EmbeddingTest, AnIndexOutsideIsBadData) {
  EXPECT_ERROR(Feature(kSmall, Shape({2}), {0, 3}, kTable), kExitBadData,
               "the index is 3, layer \"layer\" allows 0 to 2 and, for padding, -1");
  EXPECT_ERROR(Feature(kSmall, Shape({1}), {1.5f}, kTable), kExitBadData, "the index is 1.5");
}

TEST_P(EmbeddingTest, NeedsNoParamBlock) {
  EXPECT_EQ(
      ParamShapes("type: kEmbedding embedding_conf { vocab_size: 3 feature_dim: 4 }", Shape({2})),
      (std::vector<Shape>{{3, 4}}));
}

TEST_P(EmbeddingTest, RejectsMistakes) {
  EXPECT_CONFIG_ERROR(Build("type: kEmbedding param { name: 't' }", Shape({2})),
                      "embedding_conf.vocab_size");
  EXPECT_CONFIG_ERROR(Build("type: kEmbedding param { name: 't' } "
                            "embedding_conf { vocab_size: 3 feature_dim: 0 }",
                            Shape({2})),
                      "embedding_conf.feature_dim");
  EXPECT_CONFIG_ERROR(Build(kSmall, {2, 3}), "srclayers");
}

}  // namespace
}  // namespace singa
