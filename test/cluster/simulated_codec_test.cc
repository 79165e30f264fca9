// Runs whole jobs over a simulated network. Their gradients travel by a codec that keeps the rest
// of each gradient for the next step.
#include <gtest/gtest.h>

#include "support/cluster/sim_cluster.h"
#include "support/small_codecs.h"

namespace singa {
namespace {

#ifdef SINGA_SANITIZED
constexpr uint64_t kCodecSeeds = 10;
#else
constexpr uint64_t kCodecSeeds = 100;
#endif

// Returns the final values of a synchronous job whose gradients travel by `codec`. `before` may
// change the cluster before the run.
std::vector<float> Train(const Codec& codec, const SimJob& job, uint64_t seed,
                         const std::function<void(SimCluster*)>& before) {
  SimCluster cluster(job, seed);
  cluster.network.faults = {};
  cluster.run.codec = &codec;
  before(&cluster);
  EXPECT_EQ(cluster.Run(), "");
  EXPECT_EQ(cluster.refused(), 0);
  const std::vector<float> values = cluster.Values(0);
  for (int rank = 0; rank < job.topology().processes(); ++rank)
    for (const std::vector<float>& memory : cluster.process(rank).Memories())
      EXPECT_EQ(memory, values) << "of process " << rank;
  return values;
}
std::vector<float> TrainRounded(const SimJob& job, uint64_t seed,
                                const std::function<void(SimCluster*)>& before) {
  return Train(RoundingCodec(), job, seed, before);
}

void Crashes(SimCluster* cluster) {
  cluster->Disturb();
  cluster->CrashUpTo(2);
}

TEST(SimulatedCodec, ACodecsRestsGoOnFromACheckpointWithTheSameBits) {
  for (uint64_t seed = 1; seed <= kCodecSeeds; ++seed) {
    SCOPED_TRACE(seed);
    const SimJob job(seed, SimKind::kSynchronous);
    const std::vector<float> undisturbed = TrainRounded(job, seed, [](SimCluster*) {});
    EXPECT_EQ(TrainRounded(job, seed + 1000, Crashes), undisturbed);
  }
}

TEST(SimulatedCodec, RoundedGradientsAddUpToTheWholeOnes) {
  for (uint64_t seed = 1; seed <= kCodecSeeds; ++seed) {
    SCOPED_TRACE(seed);
    const SimJob job(seed, SimKind::kSynchronous);
    if (!job.counts()) continue;
    const std::vector<float> values = TrainRounded(job, seed, [](SimCluster*) {});
    const std::vector<float> exact = job.Reference(SimJob::kSteps);
    EXPECT_EQ(job.Wrong(values, SimJob::kSteps), 0);
    for (size_t i = 0; i < values.size(); ++i) ASSERT_NEAR(values[i], exact[i], 0.03);
  }
}

TEST(SimulatedCodec, ProcessesThatApplyRoundedSumsHaveTheSameBits) {
  int summed = 0;
  for (uint64_t seed = 1; seed <= kCodecSeeds; ++seed) {
    SCOPED_TRACE(seed);
    const SimJob job(seed, SimKind::kSynchronous);
    if (job.topology().worker_groups() > 1) continue;  // they get values
    const RoundingSumsCodec codec;
    const std::vector<float> undisturbed = Train(codec, job, seed, [](SimCluster*) {});
    EXPECT_EQ(Train(codec, job, seed + 1000, Crashes), undisturbed);
    summed += undisturbed != TrainRounded(job, seed, [](SimCluster*) {});
  }
  EXPECT_GT(summed, static_cast<int>(kCodecSeeds) / 4) << "rounding of sums changes no bit";
}

TEST(SimulatedCodec, SeesThatACheckpointLacksACodecsRests) {
  int seen = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const SimJob job(seed, SimKind::kSynchronous);
    const std::vector<float> undisturbed = TrainRounded(job, seed, [](SimCluster*) {});
    const auto forgetful = [](SimCluster* cluster) {
      Crashes(cluster);
      cluster->on_snapshot = [](SimSnapshot* snapshot) { snapshot->rests.clear(); };
    };
    seen += TrainRounded(job, seed + 1000, forgetful) != undisturbed;
  }
  EXPECT_GT(seen, 5);
}

}  // namespace
}  // namespace singa
