// Tests two processes of a job, threads here, that each have the values and the updater.
#include "cluster/workers/ranks_backend.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <thread>

#include "singa/base/error.h"
#include "support/cluster/small_groups.h"
#include "support/threaded_job.h"

namespace singa::ranks_backend {
namespace {

class TwoRanks {
 public:
  explicit TwoRanks(const std::string& all_reduce, Reach reach = Reach::kThisHost)
      : job_(SmallGroupsJob(
            StrCat("nworkers_per_group: 2 share_memory: false all_reduce { ", all_reduce, " }"))),
        processes_(
            job_, nullptr, [](int) { return JobCalls(); }, reach) {
    processes_.MeetAll();
    for (int rank = 0; rank < 2; ++rank) {
      groups_.push_back(std::make_unique<WorkerGroups>(job_, 1, &processes_[rank]));
      WorkerGroups& here = *groups_.back();
      here.Allocate();
      InitParams(here.lead().model().ctx(), {}, &here.lead().model().params());
    }
    ForBoth([this](WorkerGroups& here, int) { here.Start(job_.train_steps()); });
  }
  void ForBoth(const std::function<void(WorkerGroups&, int rank)>& work) {
    std::thread other([&] { work(*groups_[1], 1); });
    work(*groups_[0], 0);
    other.join();
  }
  void Train(int64_t first, int64_t last) {
    ForBoth([=](WorkerGroups& here, int) {
      for (int64_t step = first; step < last; ++step) here.team(0).TrainStep(step);
      here.backend().Settle();
    });
  }
  // Lets rank 0 alone take a step, and then fail.
  void FailAtRank0() {
    const std::unique_ptr<WorkerGroups> here = std::move(groups_[0]);
    here->team(0).TrainStep(0);
    throw DataError("store", 3, "damaged");
  }
  // Lets rank 0 alone take a step, and end without an error of its own.
  void EndRank0() {
    const std::unique_ptr<WorkerGroups> here = std::move(groups_[0]);
    here->team(0).TrainStep(0);
  }
  // Returns what rank 0 gathers when both have done `steps` steps.
  std::vector<SliceState> Gather(int64_t steps) {
    std::vector<SliceState> model;
    ForBoth([&](WorkerGroups& here, int rank) {
      if (rank == 0) {
        model = here.backend().model_state().Gather({steps});
        return;
      }
      here.backend().model_state().Exchange(
          {processes_[1].follower()->Next().exchange().versions(0)});
      ControlMessage answer;
      answer.mutable_exchanged();
      processes_[1].follower()->Answer(answer);
    });
    return model;
  }
  std::vector<float> ValuesOf(int rank) {
    std::vector<float> all;
    for (const Param* param : groups_[rank]->lead().model().trained().params)
      all.insert(all.end(), param->data.data(), param->data.data() + param->size());
    return all;
  }
  WorkerGroups& groups(int rank) { return *groups_[rank]; }

 private:
  const JobProto job_;
  ThreadedJob processes_;
  std::vector<std::unique_ptr<WorkerGroups>> groups_;
};

TEST(RanksBackend, ProcessesHaveTheSameValuesWithoutServers) {
  TwoRanks ranks("compression: kPowerSGD");
  const std::vector<float> first = ranks.ValuesOf(0);
  ranks.Train(0, 4);
  EXPECT_NE(ranks.ValuesOf(0), first);
  EXPECT_EQ(ranks.ValuesOf(0), ranks.ValuesOf(1));
  EXPECT_TRUE(ranks.groups(0).backend().model_state().Gather({4}).empty())
      << "the replica is the model";
  EXPECT_GT(ranks.groups(0).memory().host.gradients, 0);
  EXPECT_GT(ranks.groups(0).whole_exchange().ms, 0) << "measured at the start";
  EXPECT_GT(ranks.groups(0).backend().TakeStats(0).wait_ms, 0);
}

TEST(RanksBackend, TheModelOfPartialUpdatesIsTheirMean) {
  TwoRanks ranks("compression: kPartial fusion_elements: 1");
  ranks.Train(0, 3);
  const std::vector<float> own = ranks.ValuesOf(0), other = ranks.ValuesOf(1);
  ASSERT_NE(own, other) << "the weights are averaged in each second step";
  const std::vector<SliceState> model = ranks.Gather(3);
  size_t at = 0;
  for (size_t s = 0; s < model.size(); ++s) {
    const Slice& slice = ranks.groups(0).lead().model().trained().table[static_cast<int>(s)];
    for (int64_t i = 0; i < slice.size; ++i, ++at)
      EXPECT_NEAR(model[s].floats[i], (own[at] + other[at]) / 2, 1e-6);
    ranks.groups(0).lead().replica().SetFloats(static_cast<int>(s), model[s].count,
                                               model[s].floats);
  }
  EXPECT_NE(ranks.ValuesOf(0), own);
  std::vector<StoredTensor> state;
  ranks.groups(0).backend().model_state().SaveState(&state);
  ASSERT_EQ(state.size(), model.size());
  EXPECT_EQ(FloatsIn(state[0])[0], own[0]) << "its own values, not the model's";
  ranks.groups(0).backend().model_state().BringOwnBack();
  EXPECT_EQ(ranks.ValuesOf(0), own);
}

TEST(RanksBackend, AFailureEndsTheWaitsOfWorkers) {
  TwoRanks ranks("compression: kPowerSGD");
  ranks.groups(0).backend().Stop(&ranks.groups(0).teams());
  EXPECT_ANY_THROW(ranks.groups(0).backend().model_state().Gather({1}));
}

// Processes of several hosts exchange in a thread, which here waits for the other process. It must
// not use the params, which are freed then.
TEST(RanksBackend, AnErrorEndsTheThreadThatExchanges) {
  for (const char* mode : {"compression: kPowerSGD", "compression: kPartial"}) {
    TwoRanks ranks(mode, Reach::kUnknown);
    EXPECT_THROW(ranks.FailAtRank0(), DataError) << "long before its deadline";
  }
}

// An error may have been caught before the groups are destroyed.
TEST(RanksBackend, AJobThatHasNotSettledEndsTheThreadThatExchanges) {
  const auto start = std::chrono::steady_clock::now();
  TwoRanks ranks("compression: kPowerSGD", Reach::kUnknown);
  ranks.EndRank0();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20))
      << "it waits for the other process up to its deadline";
}

}  // namespace
}  // namespace singa::ranks_backend
