// Tests which gradients kPowerSGD sends as thin matrices.
#include "comm/collective/low_rank_param.h"

#include <gtest/gtest.h>

namespace singa {
namespace {

TEST(LowRank, MatricesThatGainLittleAreSentAsTheyAre) {
  const SliceTable table({{60, 50}, {60}, {4, 4}});
  EXPECT_EQ(LowRankOf(table, 0, {60, 50}, 2).rank, 2);
  EXPECT_EQ(LowRankOf(table, 0, {60, 50}, 14).rank, 0) << "2 * 14 * 110 > 3000";
  EXPECT_EQ(LowRankOf(table, 1, {60}, 2).rank, 0) << "no matrix";
  EXPECT_EQ(LowRankOf(table, 2, {4, 4}, 2).rank, 0);
  const SliceTable kernels({{32, 3, 5, 5}});
  EXPECT_EQ(LowRankOf(kernels, 0, {32, 3, 5, 5}, 1).cols, 75);
  const SliceTable divided({{60, 50}}, {{.parts = 2, .contributors = 1}});
  EXPECT_EQ(LowRankOf(divided, 0, {60, 50}, 2).rank, 0) << "workers divide it";
}

TEST(LowRank, ParamsHaveTheBucketsOfTheirGradients) {
  const std::vector<Shape> shapes = {{300, 100}, {10}, {2000, 40}, {5}};
  const SliceTable table(shapes);
  AllReduceProto conf;
  conf.set_fusion_elements(4);
  const std::vector<LowRankParam> params = LowRankParams(table, shapes, conf);
  ASSERT_EQ(params.size(), 2u);
  EXPECT_EQ(params[0].param, 0);
  EXPECT_EQ(params[0].bucket, 3);
  EXPECT_EQ(params[1].param, 2);
  EXPECT_EQ(params[1].bucket, 1) << "the last params come first";
  EXPECT_EQ(params[1].shape.cols, 40);
}

}  // namespace
}  // namespace singa
