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

// Returns the final values of a synchronous job whose gradients travel rounded. `before` may change
// the cluster before the run.
std::vector<float> TrainRounded(const SimJob& job, uint64_t seed,
                                const std::function<void(SimCluster*)>& before) {
  const RoundingCodec codec;
  SimCluster cluster(job, seed);
  cluster.network.faults = {};
  cluster.run.codec = &codec;
  before(&cluster);
  EXPECT_EQ(cluster.Run(), "");
  EXPECT_EQ(cluster.refused(), 0);
  return cluster.Values(0);
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
