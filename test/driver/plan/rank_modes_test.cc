// Tests the predicted bytes of kPowerSGD and kPartial.
#include "driver/plan/rank_modes.h"

#include <gtest/gtest.h>

namespace singa::rank_modes {
namespace {

AllReduceProto Conf(int rank, int fusion_elements) {
  AllReduceProto conf;
  conf.set_rank(rank);
  conf.set_fusion_elements(fusion_elements);
  return conf;
}

// A matrix of 100 x 300 and its bias.
const TrainedShapes kLayer = {{Shape({100, 300}), Shape({100})}, 1};

TEST(RankModes, ThinMatricesAreSentInPlaceOfAMatrix) {
  const CodecRates powersgd = RankModes(Conf(3, 1), kLayer)[0];
  EXPECT_EQ(powersgd.name, "kPowerSGD, rank 3");
  EXPECT_NEAR(powersgd.gradient, (3 * 400 + 100) / 30100.0, 1e-9);
  EXPECT_EQ(powersgd.sum, powersgd.gradient);
  EXPECT_GT(powersgd.encode_ms, 0);
}

TEST(RankModes, AMatrixWithoutSmallerOnesIsSentAsItIs) {
  const CodecRates powersgd = RankModes(Conf(100, 1), kLayer)[0];
  EXPECT_EQ(powersgd.gradient, 1);
  EXPECT_EQ(powersgd.encode_ms, 0) << "no products";
}

// Values and one state of each bucket in turn.
TEST(RankModes, BucketsTakeTurns) {
  EXPECT_EQ(RankModes(Conf(2, 1), kLayer)[1].name, "kPartial, 2 buckets");
  EXPECT_EQ(RankModes(Conf(2, 1), kLayer)[1].gradient, 1);
  EXPECT_EQ(RankModes(Conf(2, 1'000'000), kLayer)[1].name, "kPartial, 1 bucket");
  EXPECT_EQ(RankModes(Conf(2, 1'000'000), kLayer)[1].gradient, 2);
}

TEST(RankModes, ANetThatTrainsNothingHasNone) { EXPECT_TRUE(RankModes(Conf(2, 1), {}).empty()); }

}  // namespace
}  // namespace singa::rank_modes
