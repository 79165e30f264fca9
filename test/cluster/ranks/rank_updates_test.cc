// Tests updates by sums over processes that each have the values, against one replica that gets
// the sums.
#include "cluster/ranks/rank_updates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "singa/base/error.h"
#include "support/cluster/linked_ranks.h"
#include "train/apply/replica_updates.h"

namespace singa::rank_updates {
namespace {

const std::vector<Shape> kShapes = {{40, 50}, {7}, {3, 700}, {1}};
constexpr const char* kMomentum =
    "type: kSGD momentum: 0.9 learning_rate { type: kFixed base_lr: 0.1 }";
constexpr int kTwo = 2;

struct Ranks : LinkedRanks {
  explicit Ranks(const std::string& cluster, const std::string& updater = kMomentum,
                 const std::vector<ParamDivision>& divisions = {},
                 JobProto::NonFinitePolicy policy = JobProto::kAbort, int64_t first = 0,
                 bool aside = true)
      : LinkedRanks(
            updater, cluster, kShapes,
            [](const LinkedUpdates::Setup& setup, const Codec& of_job) {
              return std::make_unique<RankUpdates>(setup, of_job);
            },
            divisions, policy, aside) {
    Connect(first);
  }
};

std::string Stanza(int workers, const std::string& all_reduce, int in_each = 1) {
  return StrCat("nworkers_per_group: ", workers, " nworkers_per_procs: ", in_each, " all_reduce { ",
                all_reduce, " }");
}

// Returns the values after `steps` steps of one replica that gets the whole sums, without those of
// step `dropped`.
std::vector<std::vector<float>> Expected(const LinkedRanks& ranks, int64_t steps,
                                         int64_t dropped = -1) {
  std::vector<std::vector<float>> values;
  std::vector<float*> memory;
  std::vector<ServedParam> served;
  for (const Shape& shape : kShapes) values.emplace_back(shape.size(), 1.f);
  for (std::vector<float>& one : values) {
    memory.push_back(one.data());
    served.push_back({"w", "layer", {}});
  }
  MemoryReplica replica(ranks.job, ranks.table, served, memory);
  ReplicaUpdates updates(ranks.job, &replica.replica);
  updates.Attach(ranks.table, {});
  Context ctx;
  for (int64_t step = 0; step < steps; ++step) {
    if (step == dropped) continue;
    std::vector<std::vector<float>> sums;
    std::vector<float*> first;
    for (int s = 0; s < ranks.table.size(); ++s) sums.push_back(ranks.Whole(step, s));
    for (std::vector<float>& sum : sums) first.push_back(sum.data());
    for (int s = 0; s < ranks.table.size(); ++s) updates.Submit(ctx, s, step, {&first[s], 1});
    updates.Finish(ctx, step, 0, 1, first);
  }
  return values;
}

TEST(RankUpdates, SumsAreThoseOfOneReplicaBitForBit) {
  for (const auto& [workers, in_each] : {std::pair{2, 1}, {3, 1}, {6, 3}, {7, 1}, {8, 2}}) {
    Ranks ranks(Stanza(workers, "", in_each));
    ranks.Steps(0, 4);
    const auto expected = Expected(ranks, 4);
    for (const LinkedRank& one : ranks.ranks)
      EXPECT_EQ(one.values, expected) << workers << " workers, " << in_each << " a process";
  }
}

TEST(RankUpdates, BucketsChangeNothing) {
  Ranks ranks(Stanza(3, "fusion_elements: 1"));
  ranks.Steps(0, 4);
  EXPECT_EQ(ranks.ranks[1].values, Expected(ranks, 4));
}

TEST(RankUpdates, AWorkerMayExchangeAtTheEndOfTheStep) {
  for (const char* mode : {"fusion_elements: 1", "compression: kTopK sparsity: 0.1",
                           "compression: kPowerSGD rank: 2"}) {
    Ranks aside(Stanza(3, mode));
    Ranks here(Stanza(3, mode), kMomentum, {}, JobProto::kAbort, 0, false);
    aside.Steps(0, 4);
    here.Steps(0, 4);
    for (int rank = 0; rank < 3; ++rank)
      EXPECT_EQ(here.ranks[rank].values, aside.ranks[rank].values) << mode;
  }
}

TEST(RankUpdates, TheLargestOfAllNumbersAreTheWholeGradient) {
  Ranks ranks(Stanza(6, "compression: kTopK sparsity: 1", 3));
  ranks.Steps(0, 3);
  EXPECT_EQ(ranks.ranks[0].values, Expected(ranks, 3));
}

TEST(RankUpdates, CompressedSumsAreAlikeInAllProcesses) {
  for (const char* mode : {"compression: kFp16", "compression: kTopK sparsity: 0.1",
                           "compression: kThreshold threshold: 0.5"}) {
    Ranks ranks(Stanza(3, mode));
    ranks.Steps(0, 4);
    EXPECT_EQ(ranks.ranks[0].values, ranks.ranks[1].values) << mode;
    EXPECT_EQ(ranks.ranks[0].values, ranks.ranks[2].values) << mode;
    EXPECT_NE(ranks.ranks[0].values, Expected(ranks, 4)) << mode;
  }
}

TEST(RankUpdates, ANormIsBoundedAsInOneReplica) {
  Ranks ranks(Stanza(6, "fusion_elements: 100", 3), StrCat(kMomentum, " clip_norm: 0.5"));
  ranks.Steps(0, 4);
  EXPECT_EQ(ranks.ranks[0].values, Expected(ranks, 4));
  EXPECT_GT(ranks.ranks[0].updates->GradientNorm(3), 0.5);
  EXPECT_EQ(ranks.ranks[0].updates->GradientNorm(3), ranks.ranks[1].updates->GradientNorm(3));
}

constexpr float kClip = 20;
constexpr const char* kPlain = "type: kSGD learning_rate { type: kFixed base_lr: 0.1 }";

struct ClippedRanks : LinkedRanks {
  explicit ClippedRanks(const std::string& cluster,
                        const std::vector<ParamDivision>& divisions = {},
                        JobProto::NonFinitePolicy policy = JobProto::kAbort)
      : LinkedRanks(
            kPlain, cluster, kShapes,
            [](const LinkedUpdates::Setup& setup, const Codec& of_job) {
              return std::make_unique<RankUpdates>(setup, of_job, kClip);
            },
            divisions, policy) {
    Connect();
  }

  // Returns, by slice, what the workers of `rank` have added up in step 0; empty: nothing.
  std::vector<std::vector<double>> Own(int rank) const {
    std::vector<std::vector<double>> own(table.size());
    for (int s = 0; s < table.size(); ++s)
      for (const std::vector<float>& sum : NodeSums(rank, 0, s)) {
        own[s].resize(sum.size());
        for (size_t i = 0; i < sum.size(); ++i) own[s][i] += sum[i];
      }
    return own;
  }
};

double NormOf(const std::vector<std::vector<double>>& slices) {
  double squares = 0;
  for (const std::vector<double>& slice : slices)
    for (const double x : slice) squares += x * x;
  return std::sqrt(squares);
}

// Expects the values of a step in which each process has bounded its own gradient.
void ExpectEachBoundsItsOwn(ClippedRanks* ranks) {
  ranks->Steps(0, 1);
  std::vector<std::vector<double>> expected(ranks->table.size());
  for (int s = 0; s < ranks->table.size(); ++s) expected[s].assign(ranks->table[s].size, 1);
  for (int rank = 0; rank < kTwo; ++rank) {
    const auto own = ranks->Own(rank);
    const double norm = NormOf(own), scale = kClip / std::sqrt(2) / norm;
    ASSERT_LT(scale, 1);
    EXPECT_NEAR(ranks->ranks[rank].updates->GradientNorm(0), norm * std::sqrt(2), 1e-3);
    for (int s = 0; s < ranks->table.size(); ++s)
      for (size_t i = 0; i < own[s].size(); ++i) expected[s][i] -= 0.1 * scale * own[s][i];
  }
  for (int rank = 0; rank < kTwo; ++rank)
    for (int s = 0; s < ranks->table.size(); ++s) {
      const Slice& slice = ranks->table[s];
      if (ranks->NodeSums(rank, 0, s).empty()) continue;  // it does not read the slice
      for (int64_t i = 0; i < slice.size; ++i)
        ASSERT_NEAR(ranks->ranks[rank].values[slice.param][slice.begin + i], expected[s][i], 1e-5)
            << "rank " << rank << ", slice " << s << ", element " << i;
    }
}

// Three workers in each process are two nodes of the sum.
TEST(RankUpdates, EachProcessBoundsTheNormOfItsOwnGradient) {
  ClippedRanks ranks(Stanza(6, "", 3));
  ExpectEachBoundsItsOwn(&ranks);
}

// Worker i alone has part i of param 0, and both have the others.
TEST(RankUpdates, ANormIsThatOfThePartsThatTheProcessContributes) {
  std::vector<ParamDivision> divisions(kShapes.size());
  divisions[0] = {.parts = 2, .contributors = 1};
  ClippedRanks ranks(Stanza(2, ""), divisions);
  ExpectEachBoundsItsOwn(&ranks);
}

// With kSkip all processes also judge the sum.
TEST(RankUpdates, EachProcessBoundsItsOwnGradientAlsoIfStepsMayBeSkipped) {
  ClippedRanks ranks(Stanza(6, "", 3), {}, JobProto::kSkip);
  ExpectEachBoundsItsOwn(&ranks);
}

TEST(RankUpdates, OneProcessBoundsItsGradientAsOneReplicaDoes) {
  for (const char* all : {"", "compression: kTopK sparsity: 1"}) {
    ClippedRanks own(Stanza(3, all, 3));
    Ranks sum(Stanza(3, all, 3), StrCat(kPlain, " clip_norm: ", kClip));
    own.Steps(0, 3);
    sum.Steps(0, 3);
    EXPECT_EQ(own.ranks[0].values, sum.ranks[0].values) << all;
    EXPECT_EQ(own.ranks[0].updates->GradientNorm(2), sum.ranks[0].updates->GradientNorm(2));
    EXPECT_GT(sum.ranks[0].updates->GradientNorm(2), kClip);
  }
}

TEST(RankUpdates, WorkersThatEncodeAShareEachChangeNothing) {
  for (const auto policy : {JobProto::kAbort, JobProto::kSkip}) {
    const std::string stanza = Stanza(6, "compression: kThreshold threshold: 0.01", 3);
    ClippedRanks one(stanza, {}, policy), three(stanza, {}, policy);
    three.enders = 3;
    one.Steps(0, 3);
    three.Steps(0, 3);
    EXPECT_EQ(one.ranks[0].values, three.ranks[0].values);
    EXPECT_EQ(one.ranks[0].updates->GradientNorm(2), three.ranks[0].updates->GradientNorm(2));
  }
}

TEST(RankUpdates, AStepThatOneProcessLacksIsSkippedInAll) {
  Ranks ranks(Stanza(3, ""), kMomentum, {}, JobProto::kSkip);
  ranks.ForAll([&](int rank, LinkedRank&) {
    for (int64_t step = 0; step < 4; ++step) ranks.Step(rank, step, step == 1 ? 2 : -1);
  });
  for (LinkedRank& one : ranks.ranks) {
    one.updates->AwaitAll(4);
    EXPECT_EQ(one.updates->skips(), 1);
    EXPECT_EQ(one.values, Expected(ranks, 4, 1));
  }
  EXPECT_FALSE(ranks.ranks[0].updates->skipped(3));
}

TEST(RankUpdates, AGradientThatIsNotFiniteEndsTheJobWithItsNameAndStep) {
  Ranks whole(Stanza(2, ""));
  ClippedRanks clipped(Stanza(2, ""));
  for (LinkedRanks* ranks :
       {static_cast<LinkedRanks*>(&whole), static_cast<LinkedRanks*>(&clipped)}) {
    ranks->Step(1, 0, 1);
    try {
      ranks->ranks[1].updates->Check();
      FAIL() << "a NaN is not found";
    } catch (const DivergedError& error) {
      EXPECT_NE(std::string(error.what()).find("step 0"), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("\"layer\""), std::string::npos) << error.what();
    }
  }
}

TEST(RankUpdates, ResidualsAreSavedAndRestored) {
  const std::string stanza = Stanza(kTwo, "compression: kTopK sparsity: 0.05", 1);
  Ranks whole(stanza), first(stanza), second(stanza, kMomentum, {}, JobProto::kAbort, 3);
  whole.Steps(0, 6);
  first.Steps(0, 3);
  for (int rank = 0; rank < kTwo; ++rank) {
    LinkedUpdates& from = *first.ranks[rank].updates;
    std::map<std::string, std::vector<float>> state;
    for (const StoredTensor& tensor : from.State()) {
      EXPECT_TRUE(from.HasState(tensor.name));
      EXPECT_FALSE(first.ranks[1 - rank].updates->HasState(tensor.name)) << "another process's";
      EXPECT_TRUE(tensor.name.starts_with(from.state_kind()));
      state[tensor.name] = FloatsIn(tensor);
    }
    EXPECT_TRUE(second.ranks[rank].updates->Restore(state));
    for (int s = 0; s < first.table.size(); ++s)
      second.ranks[rank].memory->replica.SetFloats(s, 3,
                                                   first.ranks[rank].memory->replica.Floats(s));
  }
  second.Steps(3, 6);
  EXPECT_EQ(second.ranks[0].values, whole.ranks[0].values);
  EXPECT_FALSE(second.ranks[0].updates->Restore({}));
}

// Param 0 is divided: worker i alone has part i of its rows.
TEST(RankUpdates, DividedParamsAreSharedWithTheModel) {
  std::vector<ParamDivision> divisions(kShapes.size());
  divisions[0] = {.parts = 2, .contributors = 1};
  Ranks ranks(Stanza(kTwo, ""), kMomentum, divisions);
  ranks.Steps(0, 3);
  const auto expected = Expected(ranks, 3);
  EXPECT_FALSE(ranks.ranks[0].updates->has_model());
  EXPECT_NE(ranks.ranks[0].values, expected) << "it lacks the other's rows";
  std::vector<std::vector<SliceState>> models(kTwo);
  ranks.ForAll([&](int rank, LinkedRank& one) { models[rank] = one.updates->ShareModel(); });
  for (int s = 0; s < ranks.table.size(); ++s) {
    const Slice& slice = ranks.table[s];
    EXPECT_EQ(models[0][s].floats, models[1][s].floats);
    EXPECT_EQ(models[0][s].count, 3);
    EXPECT_TRUE(std::equal(models[0][s].floats.begin(), models[0][s].floats.begin() + slice.size,
                           expected[slice.param].begin() + slice.begin));
  }
}

}  // namespace
}  // namespace singa::rank_updates
