// Tests the measured bytes of codecs.
#include "driver/plan/codec_forms.h"

#include <gtest/gtest.h>

namespace singa::codec_forms {
namespace {

JobProto JobOf(AllReduceProto::Compression compression, float sparsity = 0.01f) {
  JobProto job;
  job.mutable_updater()->set_type(kSGD);
  AllReduceProto& conf = *job.mutable_cluster()->mutable_all_reduce();
  conf.set_compression(compression);
  conf.set_sparsity(sparsity);
  return job;
}

TEST(CodecForm, OfHalvesHasHalfOfTheBytes) {
  const ExchangeForm form = CodecForm(JobOf(AllReduceProto::kFp16), 2);
  EXPECT_NEAR(form.gradient, 0.5, 1e-4);
  EXPECT_NEAR(form.sum, 0.5, 1e-4);
  EXPECT_TRUE(form.encode_ms > 0 && form.decode_ms > 0 && form.sum_ms > 0);
  EXPECT_TRUE(form.updates_all) << "sums come back, not values";
}

TEST(CodecForm, OfTheLargestHasTheirBytesAndThoseOfAUnionBack) {
  const ExchangeForm form = CodecForm(JobOf(AllReduceProto::kTopK), 2);
  EXPECT_NEAR(form.gradient, 0.0133, 0.001) << "5 bytes and some for each hundredth float";
  EXPECT_NEAR(form.sum, 0.0257, 0.001) << "of two hosts";
}

TEST(CodecForm, OfAThresholdSendsTheAssumedShare) {
  for (const float share : {0.01f, 0.05f}) {
    const ExchangeForm largest = CodecForm(JobOf(AllReduceProto::kTopK, share), 2);
    const ExchangeForm above = CodecForm(JobOf(AllReduceProto::kThreshold, share), 2);
    EXPECT_NEAR(above.gradient, largest.gradient, 0.02 * largest.gradient);
  }
}

TEST(CodecForm, OfAThresholdOfZeroSendsAll) {
  JobProto job = JobOf(AllReduceProto::kThreshold);
  job.mutable_cluster()->mutable_all_reduce()->set_threshold(0);
  const ExchangeForm form = CodecForm(job, 2);
  EXPECT_NEAR(form.gradient, 1, 1e-9);
  EXPECT_NEAR(form.sum, 1, 1e-9);
}

TEST(CodecForm, OfWholeGradientsTakesNoWork) {
  const ExchangeForm form = CodecForm(JobOf(AllReduceProto::kNone), 2);
  EXPECT_EQ(form.gradient, 1);
  EXPECT_EQ(form.encode_ms, 0);
  EXPECT_FALSE(form.updates_all);
}

TEST(OuterForm, TravelsByItsCodec) {
  ClusterProto conf;
  EXPECT_EQ(OuterForm(conf, 2).gradient, 1);
  conf.set_outer_compression(ClusterProto::kInt8);
  const ExchangeForm bytes = OuterForm(conf, 2);
  EXPECT_NEAR(bytes.gradient, 0.25, 0.01);
  EXPECT_EQ(bytes.sum, bytes.gradient) << "outer steps travel as changes do";
  EXPECT_GT(bytes.encode_ms, 0);
}

}  // namespace
}  // namespace singa::codec_forms
