// Tests updates of own values with means of one bucket in each step.
#include "cluster/ranks/partial_updates.h"

#include <gtest/gtest.h>

#include <cmath>

#include "singa/base/error.h"
#include "support/cluster/linked_ranks.h"
#include "support/heard_log.h"

namespace singa::partial_updates {
namespace {

constexpr const char* kMomentum =
    "type: kSGD momentum: 0.9 learning_rate { type: kFixed base_lr: 0.1 }";
const std::vector<Shape> kThree = {{20, 30}, {5}, {8, 8}};

struct Ranks : LinkedRanks {
  explicit Ranks(const std::string& stanza, const std::string& updater = kMomentum,
                 JobProto::NonFinitePolicy policy = JobProto::kAbort, bool aside = true)
      : LinkedRanks(
            updater, stanza, kThree,
            [](const LinkedUpdates::Setup& setup, const Codec&) {
              return std::make_unique<PartialUpdates>(setup);
            },
            {}, policy, aside) {
    Connect();
  }
};

std::string Stanza(int workers, int fusion, int in_each = 1) {
  return StrCat("nworkers_per_group: ", workers, " nworkers_per_procs: ", in_each,
                " all_reduce { compression: kPartial fusion_elements: ", fusion, " }");
}

// Returns the values after `steps` steps by the mean gradient of all workers, in double.
std::vector<std::vector<double>> ByWholeGradients(const LinkedRanks& ranks, int64_t steps) {
  std::vector<std::vector<double>> values, momentum;
  for (const Shape& shape : kThree) {
    values.emplace_back(shape.size(), 1.0);
    momentum.emplace_back(shape.size(), 0.0);
  }
  for (int64_t step = 0; step < steps; ++step)
    for (int s = 0; s < ranks.table.size(); ++s) {
      const std::vector<float> sum = ranks.Whole(step, s);
      for (int64_t i = 0; i < ranks.table[s].size; ++i) {
        const int64_t at = ranks.table[s].begin + i;
        double& velocity = momentum[ranks.table[s].param][at];
        velocity = 0.9 * velocity + 0.1 * sum[i];
        values[ranks.table[s].param][at] -= velocity;
      }
    }
  return values;
}

double Furthest(const std::vector<std::vector<float>>& a,
                const std::vector<std::vector<double>>& b) {
  double worst = 0;
  for (size_t p = 0; p < a.size(); ++p)
    for (size_t i = 0; i < a[p].size(); ++i) worst = std::max(worst, std::abs(a[p][i] - b[p][i]));
  return worst;
}

TEST(PartialUpdates, OneBucketEqualsTheWholeGradient) {
  for (const auto& [workers, in_each] : {std::pair{2, 1}, {3, 1}, {6, 3}}) {
    Ranks ranks(Stanza(workers, 1'000'000, in_each));
    ranks.Steps(0, 5);
    const auto expected = ByWholeGradients(ranks, 5);
    for (const LinkedRank& one : ranks.ranks) EXPECT_LT(Furthest(one.values, expected), 1e-5);
  }
}

// Three buckets: param 2 in step 0, 1 in step 1, 0 in step 2, and so on.
TEST(PartialUpdates, AWorkerMayExchangeAtTheEndOfTheStep) {
  Ranks aside(Stanza(2, 1)), here(Stanza(2, 1), kMomentum, JobProto::kAbort, false);
  aside.Steps(0, 5);
  here.Steps(0, 5);
  for (int rank = 0; rank < 2; ++rank) EXPECT_EQ(here.ranks[rank].values, aside.ranks[rank].values);
}

TEST(PartialUpdates, BucketsTakeTurns) {
  Ranks ranks(Stanza(2, 1));
  const int in_turn[] = {2, 1, 0, 2};
  for (int64_t step = 0; step < 4; ++step) {
    ranks.Steps(step, step + 1);
    for (int p = 0; p < 3; ++p)
      EXPECT_EQ(ranks.ranks[0].values[p] == ranks.ranks[1].values[p], p == in_turn[step])
          << "param " << p << " after step " << step;
  }
}

TEST(PartialUpdates, TheModelIsTheMeanAndTrainingGoesOnWithOwnValues) {
  Ranks ranks(Stanza(2, 1));
  ranks.Steps(0, 2);
  const auto first = ranks.ranks[0].values, second = ranks.ranks[1].values;
  std::vector<std::vector<SliceState>> models(2);
  ranks.ForAll([&](int rank, LinkedRank& one) { models[rank] = one.updates->ShareModel(); });
  Replica& replica = ranks.ranks[0].memory->replica;
  for (int s = 0; s < ranks.table.size(); ++s) {
    EXPECT_EQ(models[0][s].floats, models[1][s].floats);
    replica.SetFloats(s, models[0][s].count, models[0][s].floats);
  }
  for (size_t p = 0; p < first.size(); ++p)
    for (size_t i = 0; i < first[p].size(); ++i)
      EXPECT_NEAR(ranks.ranks[0].values[p][i], (first[p][i] + second[p][i]) / 2, 1e-6);
  // A checkpoint after a test, before the next step, has the same means.
  std::vector<std::vector<SliceState>> again(2);
  ranks.ForAll([&](int rank, LinkedRank& one) { again[rank] = one.updates->ShareModel(); });
  for (int s = 0; s < ranks.table.size(); ++s) EXPECT_EQ(again[0][s].floats, models[0][s].floats);
  ranks.ranks[0].updates->BringOwnBack();
  EXPECT_EQ(ranks.ranks[0].values, first);
  EXPECT_EQ(ranks.ranks[1].values, second);
}

TEST(PartialUpdates, EachProcessSavesItsOwnValuesAndStates) {
  Ranks whole(Stanza(2, 1)), saved(Stanza(2, 1));
  whole.Steps(0, 3);
  saved.Steps(0, 3);
  saved.ForAll([&](int, LinkedRank& one) { one.updates->ShareModel(); });
  Ranks restored(Stanza(2, 1));
  for (int rank = 0; rank < 2; ++rank) {
    LinkedUpdates& from = *saved.ranks[rank].updates;
    std::map<std::string, std::vector<float>> state;
    for (const StoredTensor& tensor : from.State()) {
      EXPECT_TRUE(from.HasState(tensor.name));
      EXPECT_FALSE(saved.ranks[1 - rank].updates->HasState(tensor.name));
      state[tensor.name] = FloatsIn(tensor);
    }
    EXPECT_TRUE(restored.ranks[rank].updates->Restore(state));
    EXPECT_FALSE(restored.ranks[rank].updates->Restore({}));
    EXPECT_EQ(restored.ranks[rank].values, whole.ranks[rank].values);
    for (int s = 0; s < whole.table.size(); ++s)
      EXPECT_EQ(restored.ranks[rank].memory->replica.Floats(s),
                whole.ranks[rank].memory->replica.Floats(s));
  }
}

TEST(PartialUpdates, AStepThatOneProcessLacksIsSkippedInAll) {
  Ranks ranks(Stanza(2, 1), kMomentum, JobProto::kSkip), without(Stanza(2, 1));
  ranks.ForAll([&](int rank, LinkedRank& one) {
    ranks.Step(rank, 0);
    one.updates->AwaitAll(1);
  });
  without.Steps(0, 1);
  const auto before = without.ranks[1].values;
  const HeardLog log;
  ranks.ForAll([&](int rank, LinkedRank& one) {
    ranks.Step(rank, 1, 0);
    one.updates->AwaitAll(2);
  });
  EXPECT_TRUE(log.Has("step 1: the gradient of param \"w")) << "in the process that lacks it";
  EXPECT_EQ(ranks.ranks[1].values, before);
  EXPECT_EQ(ranks.ranks[1].updates->skips(), 1);
  EXPECT_TRUE(ranks.ranks[0].updates->skipped(1));
}

TEST(PartialUpdates, AllNameTheProcessOfASkippedStep) {
  Ranks ranks(Stanza(3, 1), kMomentum, JobProto::kSkip);
  const HeardLog log;
  ranks.ForAll([&](int rank, LinkedRank& one) {
    ranks.Step(rank, 0, 2);
    one.updates->AwaitAll(1);
  });
  const std::string ends = " is not finite, in process 2; the step is skipped";
  EXPECT_TRUE(log.Has("step 0: a loss or gradient" + ends)) << "in the others";
  EXPECT_TRUE(log.Has("of layer \"layer\"" + ends));
}

TEST(PartialUpdates, EachProcessBoundsItsOwnNorm) {
  Ranks ranks(Stanza(2, 1'000'000),
              "type: kSGD learning_rate { type: kFixed base_lr: 1 } clip_norm: 0.001");
  ranks.Steps(0, 1);
  double squares = 0;
  for (const std::vector<float>& values : ranks.ranks[0].values)
    for (const float x : values) squares += (x - 1.0) * (x - 1.0);
  EXPECT_LE(std::sqrt(squares), 0.00101);
  EXPECT_NE(ranks.ranks[0].updates->GradientNorm(0), ranks.ranks[1].updates->GradientNorm(0));
}

constexpr const char* kBounded =
    "type: kSGD learning_rate { type: kFixed base_lr: 1 } clip_norm: 2";

// Takes step 0 in a process, of a gradient with `last` in each param's last element, and zeros
// else.
void StepOfLast(const LinkedRanks& ranks, LinkedRank* one, float last) {
  for (int s = 0; s < ranks.table.size(); ++s) {
    std::vector<float>& sum = one->gradients[s].emplace_back(ranks.table[s].size, 0.f);
    sum.back() = last;
    float* const sums[] = {sum.data()};
    one->updates->Submit(one->ctx, s, 0, sums);
  }
  one->updates->Finish(one->ctx, 0, 0, 1, {});
}

// No float32 holds the squares. Each of the three elements is 2 / sqrt(3) after the bound.
TEST(PartialUpdates, SquaresBeyondFloat32AreBounded) {
  Ranks ranks(Stanza(2, 1), kBounded);
  ranks.ForAll([&](int, LinkedRank& one) {
    StepOfLast(ranks, &one, 1e38f);
    one.updates->AwaitAll(1);
  });
  for (const std::vector<float>& values : ranks.ranks[0].values) {
    EXPECT_EQ(values.front(), 1);
    EXPECT_NEAR(values.back(), 1 - 2 / std::sqrt(3), 1e-5);
  }
}

// The process has half of the workers, so its mean gradient is twice the sum: no float32 holds it.
TEST(PartialUpdates, AMeanGradientThatIsNotFiniteIsNotApplied) {
  for (const char* updater : {kMomentum, kBounded}) {
    Ranks ranks(Stanza(2, 1), updater);
    LinkedRank& one = ranks.ranks[0];
    EXPECT_THROW(StepOfLast(ranks, &one, 3e38f); one.updates->Check(), DivergedError);
    for (const std::vector<float>& values : one.values)
      EXPECT_EQ(values, std::vector<float>(values.size(), 1)) << updater;
  }
}

TEST(PartialUpdates, DividedParamsAreAnError) {
  LinkedRanks ranks(kMomentum, Stanza(2, 1), kThree,
                    [](const LinkedUpdates::Setup& setup, const Codec&) {
                      return std::make_unique<PartialUpdates>(setup);
                    },
                    {{.parts = 2, .contributors = 1}, {}, {}});
  EXPECT_THROW(ranks.ranks[0].updates->Connect(ranks.table, 0), ConfigError);
}

}  // namespace
}  // namespace singa::partial_updates
