// Runs whole clusters whose groups train by themselves between outer steps (group_sync: kOuter).
#include <gtest/gtest.h>

#include "support/cluster/cluster_of_roles.h"

namespace singa::outer_rounds {
namespace {

constexpr int kGroups = 3;
constexpr int64_t kSteps = 7;
const std::vector<Shape> kShapes = {{2}, {1}, {3}};
constexpr int64_t kElements = 6;

// Returns the gradient of element `i`, a multiple of 1/8, so that all sums are exact.
float GradientAt(int group, int64_t step, int64_t i) {
  return static_cast<float>((group * 5 + step * 3 + i) % 7 - 3) / 8;
}

// Returns the model after the job, by plain loops.
std::vector<float> Expected(int64_t freq, float lr, float momentum) {
  std::vector<float> model(kElements), moments(kElements);
  std::vector<std::vector<float>> local(kGroups, model);
  for (int64_t step = 0; step < kSteps; ++step) {
    for (int g = 0; g < kGroups; ++g)
      for (int64_t i = 0; i < kElements; ++i) local[g][i] -= GradientAt(g, step, i);
    if ((step + 1) % freq != 0 && step + 1 != kSteps) continue;
    for (int64_t i = 0; i < kElements; ++i) {
      float change = 0;
      for (int g = 0; g < kGroups; ++g) change += local[g][i] - model[i];
      change *= 1.f / kGroups;
      moments[i] = momentum * moments[i] + change;
      model[i] += lr * (change + momentum * moments[i]);
    }
    for (std::vector<float>& values : local) values = model;
  }
  return model;
}

std::vector<float> Trained(int64_t freq, const std::string& outer, int servers, uint32_t seed) {
  const std::string conf =
      StrCat("nworker_groups: 3 nserver_groups: 3 nservers_per_group: ", servers,
             " group_sync: kOuter sync_freq: ", freq, " ", outer);
  ClusterOfRoles cluster(JobOf(kSumUpdater, conf, StrCat("train_steps: ", kSteps)), kShapes, seed);
  cluster.Start(std::vector<float>(kElements));
  cluster.Train(kSteps, [&](int group, int, int64_t step, int slice) {
    std::vector<float> gradient(cluster.table[slice].size);
    int64_t begin = 0;
    for (int s = 0; s < slice; ++s) begin += cluster.table[s].size;
    for (size_t i = 0; i < gradient.size(); ++i)
      gradient[i] = GradientAt(group, step, begin + static_cast<int64_t>(i));
    return gradient;
  });
  EXPECT_EQ(cluster.refused(), 0);
  for (int g = 0; g < kGroups; ++g) {
    EXPECT_EQ(cluster.done(g, g), kSteps);
    EXPECT_EQ(cluster.Values(g), cluster.Values(0)) << "of group " << g;
    EXPECT_EQ(cluster.memory(g, g), cluster.Values(0)) << "of the worker of group " << g;
  }
  return cluster.Values(0);
}

TEST(OuterRounds, AreThoseOfPlainLoopsWhateverTheOrderOfMessages) {
  for (const int64_t freq : {1, 2, 3, 10})
    for (const int servers : {1, 2})
      for (uint32_t seed = 0; seed < 20; ++seed) {
        SCOPED_TRACE(StrCat("sync_freq ", freq, ", ", servers, " servers, seed ", seed));
        EXPECT_EQ(Trained(freq, "outer_lr: 0.5 outer_momentum: 0.25", servers, seed),
                  Expected(freq, 0.5f, 0.25f));
      }
}

TEST(OuterRounds, OfOneStepWithoutMomentumAverageTheGroups) {
  const std::vector<float> trained = Trained(1, "outer_lr: 1 outer_momentum: 0", 1, 0);
  for (int64_t i = 0; i < kElements; ++i) {
    float sum = 0;
    for (int g = 0; g < kGroups; ++g)
      for (int64_t step = 0; step < kSteps; ++step) sum -= GradientAt(g, step, i);
    EXPECT_NEAR(trained[i], sum / kGroups, 1e-6);
  }
}

}  // namespace
}  // namespace singa::outer_rounds
