// Tests the predicted bytes of GPUs that add up gradients by NCCL.
#include "driver/plan/gpu_forms.h"

#include <gtest/gtest.h>

#include "comm/collective/slice_table.h"
#include "support/driver/plan_jobs.h"

namespace singa::gpu_forms {
namespace {

const TrainedShapes kLayer = {{Shape({131, 1000}), Shape({1000})}, 1};
const int64_t kSlices = SliceTable(kLayer.params).size();

AllReduceProto ConfOf(AllReduceProto::Compression compression) {
  AllReduceProto conf;
  conf.set_compression(compression);
  conf.set_sparsity(0.01f);
  conf.set_fusion_elements(1);
  return conf;
}

// Returns what each of two hosts sends, as JobCosts counts it.
double SentBytes(const AllReduceProto& conf, int gpus) {
  const ExchangeForm form = GpuForm(conf, WorkersOn(gpus, 2), kLayer);
  return (form.gradient + form.sum) * static_cast<double>(kLayer.bytes()) / 2;
}

// A ring of 4 GPUs passes the sums of quarters three times, and then the whole sums three times.
TEST(GpuForm, OfWholeGradientsIsARing) {
  const AllReduceProto whole = ConfOf(AllReduceProto::kNone);
  EXPECT_NEAR(SentBytes(whole, 2), 2 * 0.5 * 4 * 132'000, 1);
  EXPECT_NEAR(SentBytes(whole, 4), 2 * 0.75 * 4 * 132'000, 1);
  EXPECT_TRUE(GpuForm(whole, WorkersOn(2, 2), kLayer).updates_all);
}

// Each GPU sends each one of the other host a share of its halves, and a sum. A slice has 8 more.
TEST(GpuForm, OfHalvesGoesFromEachGpuToEach) {
  const AllReduceProto halves = ConfOf(AllReduceProto::kFp16);
  EXPECT_NEAR(SentBytes(halves, 2), 2 * 0.5 * 2 * (132'000 + 8 * kSlices), 1);
  EXPECT_NEAR(SentBytes(halves, 4), 2 * (2 * 2 * 0.25) * 2 * (132'000 + 8 * kSlices), 1);
}

// A pair has 8 bytes, and each slice one more. A host passes on the pairs of all others.
TEST(GpuForm, OfTheLargestGathersPairs) {
  for (const auto compression : {AllReduceProto::kTopK, AllReduceProto::kThreshold}) {
    EXPECT_NEAR(SentBytes(ConfOf(compression), 2), 8 * (1320 + kSlices), 1);
    EXPECT_NEAR(SentBytes(ConfOf(compression), 4), 3 * 8 * (1320 + kSlices), 1);
  }
}

TEST(GpuForm, OfAThresholdWithoutFeedbackOrOfZeroIsThatOfWholeGradients) {
  AllReduceProto conf = ConfOf(AllReduceProto::kThreshold), all = conf;
  conf.set_error_feedback(false);
  all.set_threshold(0);
  for (const AllReduceProto& one : {conf, all})
    EXPECT_NEAR(SentBytes(one, 4), SentBytes(ConfOf(AllReduceProto::kNone), 4), 1);
}

TEST(GpuForm, OfThinMatricesAddsThemUp) {
  EXPECT_NEAR(SentBytes(ConfOf(AllReduceProto::kPowerSGD), 4),
              2 * 0.75 * 4 * (2 * (131 + 1000) + 1000), 1);
}

// Values and one state of each of two buckets in turn.
TEST(GpuForm, OfMeansSendsOneBucketInEachStep) {
  EXPECT_NEAR(SentBytes(ConfOf(AllReduceProto::kPartial), 2), 2 * 0.5 * 4 * 132'000, 1);
}

TEST(GpuForm, IsSentAfterTheBackwardPassUnlessSumsBeginInIt) {
  EXPECT_FALSE(SendsAfterBackward(AllReduceProto::kNone));
  EXPECT_FALSE(SendsAfterBackward(AllReduceProto::kFp16));
  EXPECT_TRUE(SendsAfterBackward(AllReduceProto::kTopK));
  EXPECT_TRUE(SendsAfterBackward(AllReduceProto::kPartial));
}

}  // namespace
}  // namespace singa::gpu_forms
