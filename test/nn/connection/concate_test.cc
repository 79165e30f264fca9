#include <numeric>

#include "support/layer_test.h"

namespace singa {
namespace {

class ConcateTest : public LayerTest {
 protected:
  // Returns 0, 1, 2, ...
  static Values Count(int64_t n) {
    Values values(n);
    std::iota(values.begin(), values.end(), 0.f);
    return values;
  }
};
SINGA_TEST_ON_ALL_DEVICES(ConcateTest);

TEST_P(ConcateTest, JoinsUnevenSizesInLogicalOrder) {
  for (int dim = 0; dim < 4; ++dim) {
    Shape a({2, 3, 4, 2}), b({2, 3, 4, 2});
    b.Set(dim, 3);
    ExpectGradient(StrCat("type: kConcate concate_conf { concate_dim: ", dim, " }"), {a, b});
  }
  const RunResult joined =
      Gradients("type: kConcate concate_conf { concate_dim: 1 }",
                {{{1, 1, 1, 2}, {0, 1}}, {{1, 2, 1, 2}, {2, 3, 4, 5}}}, {{10, 11, 20, 21, 22, 23}});
  EXPECT_EQ(joined.outputs[0], Count(6));
  EXPECT_EQ(joined.input_grads[0], (Values{10, 11}));
  EXPECT_EQ(joined.input_grads[1], (Values{20, 21, 22, 23}));
}

TEST_P(ConcateTest, OfWholeBatchesIsALargerBatch) {
  const std::string conf = "type: kConcate";
  EXPECT_EQ(Build(conf, {Shape({2, 3}), Shape({2, 3})})->out(0).span.batch, 4);
  const std::vector<Input> parts = {{.shape = {2, 3}, .span = {0, 2, 5}},
                                    {.shape = {3, 3}, .span = {2, 3, 5}}};
  EXPECT_EQ(Build(conf, parts)->out(0).span.batch, 5);
}

TEST_P(ConcateTest, OfBatchesOfTwoSizesHasTheRowsOfBoth) {
  const std::vector<Input> batches = {{.shape = {2, 3}, .span = {0, 2, 2}},
                                      {.shape = {3, 3}, .span = {0, 3, 3}}};
  EXPECT_EQ(Build("type: kConcate", batches)->out(0).span.batch, 5);
}

TEST_P(ConcateTest, OfPartsInAnyOrderBeginsAtTheFirstRow) {
  const std::vector<Input> parts = {{.shape = {3, 3}, .span = {2, 3, 5}},
                                    {.shape = {2, 3}, .span = {0, 2, 5}}};
  EXPECT_EQ(Build("type: kConcate", parts)->out(0).span.first, 0);
}

TEST_P(ConcateTest, LabelsAreThoseOfTheRows) {
  const std::vector<Input> inputs = {{.shape = {2, 1}, .data = {1, 2}, .labels = {7, 8}},
                                     {.shape = {2, 1}, .data = {3, 4}, .labels = {5, 6}}};
  const auto labels = [&](int dim) {
    const auto layer =
        Build(StrCat("type: kConcate concate_conf { concate_dim: ", dim, " }"), inputs);
    return layer->out(0).label.shape()[0];
  };
  EXPECT_EQ(labels(0), 4);
  EXPECT_EQ(labels(1), 2);
}

TEST_P(ConcateTest, WithoutLabelsOfOneSourceHasNone) {
  const std::vector<Input> inputs = {{.shape = {2, 1}, .labels = {7, 8}}, {.shape = {2, 1}}};
  EXPECT_FALSE(Build("type: kConcate concate_conf { concate_dim: 1 }", inputs)->out(0).has_label());
}

TEST_P(ConcateTest, MayHaveOneSource) {
  const RunResult run =
      Gradients("type: kConcate concate_conf { concate_dim: 1 }", {{{1, 2}, {3, 4}}}, {{5, 6}});
  EXPECT_EQ(run.outputs[0], (Values{3, 4}));
  EXPECT_EQ(run.input_grads[0], (Values{5, 6}));
}

TEST_P(ConcateTest, RefusesWhatDoesNotFit) {
  EXPECT_CONFIG_ERROR(Build("type: kConcate concate_conf { concate_dim: -1 }", {2, 3}),
                      "concate_conf.concate_dim");
  EXPECT_CONFIG_ERROR_SAYS(Build("type: kConcate concate_conf { concate_dim: 2 }", {2, 3}),
                           "concate_conf.concate_dim", "must be from 0 to 1");
  EXPECT_CONFIG_ERROR_SAYS(Build("type: kConcate concate_conf { num_concates: 0 }", {2, 3}),
                           "concate_conf.num_concates", "must be >= 1, is 0");
  EXPECT_CONFIG_ERROR_SAYS(Build("type: kConcate", {Shape({2, 3}), Shape({2, 4})}), "srclayers#1",
                           "dimension 0 alone");
  EXPECT_CONFIG_ERROR(Build("type: kConcate", {Shape({2, 3}), Shape({2, 3}), Shape({2, 3, 1})}),
                      "srclayers#2");
}

// Joined features are row-wise, joined rows are not.
TEST_P(ConcateTest, RowsMayBeCutForWorkersUnlessTheyAreJoined) {
  EXPECT_TRUE(Build("type: kConcate concate_conf { concate_dim: 1 }", {2, 3})->wiring().row_wise);
  const auto rows = Build("type: kConcate", {2, 3});
  EXPECT_FALSE(rows->wiring().row_wise);
  EXPECT_TRUE(rows->wiring().joins_rows);
}

}  // namespace
}  // namespace singa
