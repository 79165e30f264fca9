// Tests the predicted bytes of kPowerSGD and kPartial.
#include "driver/plan/rank_forms.h"

#include <gtest/gtest.h>

namespace singa::rank_forms {
namespace {

AllReduceProto Conf(int rank, int fusion_elements) {
  AllReduceProto conf;
  conf.set_rank(rank);
  conf.set_fusion_elements(fusion_elements);
  return conf;
}

// A matrix of 100 x 300 and its bias.
const TrainedShapes kLayer = {{Shape({100, 300}), Shape({100})}, 1};

TEST(LowRankForm, SendsThinMatricesInPlaceOfAMatrix) {
  const ExchangeForm form = LowRankForm(Conf(3, 1), kLayer);
  EXPECT_NEAR(form.gradient, (3 * 400 + 100) / 30100.0, 1e-9);
  EXPECT_EQ(form.sum, form.gradient);
  EXPECT_GT(form.encode_ms, 0);
  EXPECT_TRUE(form.updates_all);
}

TEST(LowRankForm, SendsAMatrixWithoutSmallerOnesAsItIs) {
  const ExchangeForm form = LowRankForm(Conf(100, 1), kLayer);
  EXPECT_EQ(form.gradient, 1);
  EXPECT_EQ(form.encode_ms, 0) << "no products";
}

// Values and one state of each bucket in turn.
TEST(PartialForm, SendsOneBucketInEachStep) {
  EXPECT_EQ(CountPartialBuckets(Conf(2, 1), kLayer), 2);
  EXPECT_EQ(PartialForm(Conf(2, 1), kLayer).gradient, 1);
  EXPECT_EQ(CountPartialBuckets(Conf(2, 1'000'000), kLayer), 1);
  EXPECT_EQ(PartialForm(Conf(2, 1'000'000), kLayer).gradient, 2);
}

TEST(TrainedShapes, CountBytes) {
  EXPECT_EQ(kLayer.bytes(), 4 * 30100);
  EXPECT_EQ(TrainedShapes().bytes(), 0);
}

}  // namespace
}  // namespace singa::rank_forms
