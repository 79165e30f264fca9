#include "cluster/protocol/gradient_codec.h"

#include <gtest/gtest.h>

#include "support/cluster/cluster_of_roles.h"
#include "train/reduce/exchange_state.h"

namespace singa::gradient_codec {
namespace {

JobProto Job(const std::string& all_reduce,
             const std::string& updater = "type: kSGD momentum: 0.9") {
  return JobOf(updater, StrCat("nworkers_per_group: 2 all_reduce { ", all_reduce, " }"));
}

TEST(GradientCodec, HasTheMomentumOfSgdWhereItLeavesFloatsOut) {
  EXPECT_EQ(MomentumOfCodec(Job("compression: kTopK")), 0.9f);
  EXPECT_EQ(MomentumOfCodec(Job("compression: kThreshold")), 0.9f);
  for (const char* conf :
       {"", "compression: kFp16", "compression: kTopK sparsity: 1",
        "compression: kThreshold threshold: 0", "compression: kTopK momentum_correction: false",
        "compression: kTopK error_feedback: false"})
    EXPECT_EQ(MomentumOfCodec(Job(conf)), 0) << conf;
  EXPECT_EQ(MomentumOfCodec(Job("compression: kTopK", "type: kNesterov momentum: 0.9")), 0);
  EXPECT_EQ(MomentumOfCodec(Job("compression: kTopK", "type: kAdam")), 0);
  for (const char* clips : {"clip_norm: 1", "clip_low: -1 clip_high: 1"})
    EXPECT_EQ(MomentumOfCodec(Job("compression: kTopK local_clipping: false",
                                  StrCat("type: kSGD momentum: 0.9 ", clips))),
              0)
        << clips << " is of gradients, not of momentum";
}

TEST(GradientCodec, EachProcessClipsBeforeItLeavesFloatsOut) {
  const std::string updater = "type: kSGD momentum: 0.9 clip_norm: 1";
  for (const char* conf : {"compression: kTopK", "compression: kThreshold"}) {
    const JobProto job = Job(conf, updater);
    EXPECT_TRUE(ClipsLocally(job)) << conf;
    EXPECT_EQ(MomentumOfCodec(job), 0.9f) << conf;
    EXPECT_EQ(JobOfServers(job).updater().clip_norm(), 0) << conf;
  }
  for (const char* conf :
       {"", "compression: kFp16", "compression: kTopK sparsity: 1",
        "compression: kThreshold threshold: 0", "compression: kTopK error_feedback: false",
        "compression: kTopK local_clipping: false"}) {
    EXPECT_FALSE(ClipsLocally(Job(conf, updater))) << conf;
    EXPECT_EQ(JobOfServers(Job(conf, updater)).updater().clip_norm(), 1) << conf;
  }
  EXPECT_FALSE(ClipsLocally(Job("compression: kTopK")));
}

TEST(GradientCodec, ServersHaveNoMomentumBesides) {
  EXPECT_EQ(JobOfServers(Job("compression: kTopK")).updater().momentum(), 0);
  EXPECT_EQ(JobOfServers(Job("compression: kFp16")).updater().momentum(), 0.9f);
}

TEST(GradientCodec, SaysWhyWorkersKeepNoState) {
  const JobProto job = Job("compression: kTopK");
  EXPECT_EQ(WhyNotKept(kCodecState, SyncMode::kServers, job), "");
  EXPECT_EQ(WhyNotKept(kCodecState, SyncMode::kAlone, job), "one worker now trains alone");
  EXPECT_EQ(WhyNotKept(kCodecState, SyncMode::kThreads, job),
            "the workers are now threads of one process, which do not compress gradients");
  EXPECT_EQ(WhyNotKept(kCodecState, SyncMode::kHostMemory, job),
            "the processes now share memory and do not compress gradients");
  EXPECT_EQ(WhyNotKept(kLowRankState, SyncMode::kServers, job),
            "cluster.all_reduce.compression is now kTopK");
  const JobProto forgets = Job("compression: kPowerSGD error_feedback: false");
  EXPECT_EQ(WhyNotKept(kLowRankState, SyncMode::kRankSums, forgets),
            "cluster.all_reduce.error_feedback is now false");
  EXPECT_EQ(WhyNotKept(kOwnValuesState, SyncMode::kRankSums,
                       Job("compression: kPartial error_feedback: false")),
            "");
}

}  // namespace
}  // namespace singa::gradient_codec
