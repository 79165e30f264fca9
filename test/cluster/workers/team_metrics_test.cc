// Tests that the metrics of a group's workers stay with each worker until somebody asks.
#include "cluster/workers/team_metrics.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cluster/workers/make_worker_groups.h"
#include "io/temp_dir.h"
#include "singa/base/error.h"
#include "support/copies_of_steps.h"
#include "support/emulated_machine.h"
#include "support/trainer_checkpoint.h"
#include "train/state/init_params.h"
#include "train/state/trainer_state.h"
#include "train/state/worker_rows.h"

namespace singa::team_metrics {
namespace {

constexpr int kWorkers = 3;

// Makes a job with a GPU for each worker, or on the CPU.
JobProto Job(int workers, bool on_gpus) {
  JobProto job;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
      StrCat(R"(train_one_batch { alg: kBP }
    updater { type: kSGD learning_rate { type: kFixed base_lr: 0.01 } }
    neuralnet {
      layer { name: "data" type: kRecordInput store_conf {
        backend: "synthetic" batchsize: 7 shape: 5 synthetic_conf { records: 70 classes: 3 } } }
      layer { name: "fc" type: kInnerProduct srclayers: "data" innerproduct_conf { num_output: 3 }
              param { name: "w" init { type: kUniform } }
              param { name: "b" init { type: kConstant } } }
      layer { name: "loss" type: kSoftmaxLoss srclayers: "fc" srclayers: "data" }
    }
    cluster { nworkers_per_group: )",
             workers, " nworkers_per_procs: ", workers, " }"),
      &job));
  for (int i = 0; on_gpus && i < workers; ++i) job.add_gpu(i);
  return job;
}

using Sums = std::vector<std::pair<double, double>>;

Sums SumsIn(const MetricSums& metrics) {
  Sums sums;
  for (const MetricSums::Entry& entry : metrics.entries())
    sums.emplace_back(entry.sum, entry.weight);
  return sums;
}

class TeamMetrics : public ::testing::Test {
 protected:
  static std::unique_ptr<WorkerGroups> Start(int workers, bool on_gpus) {
    auto groups = MakeWorkerGroups(Job(workers, on_gpus), 1, nullptr);
    groups->Allocate();
    InitParams(groups->lead().model().ctx(), {}, &groups->lead().model().params());
    groups->Start(6);
    return groups;
  }
  static std::vector<Sums> OfEach(WorkerTeam* team) {
    std::vector<Sums> all;
    for (Trainer* trainer : team->trainers()) all.push_back(SumsIn(trainer->metrics()));
    return all;
  }
  // Returns the sums of the first worker after the others have added theirs.
  static Sums InOrder(std::vector<Sums> all) {
    for (size_t worker = 1; worker < all.size(); ++worker)
      for (size_t i = 0; i < all[0].size(); ++i) {
        all[0][i].first += all[worker][i].first;
        all[0][i].second += all[worker][i].second;
      }
    return all[0];
  }

  // Returns a checkpoint of `team`. `old`: in the older form, before each worker had its own sums.
  std::unique_ptr<Checkpoint> Checkpointed(WorkerTeam* team, bool old) const {
    return CheckpointOf(TrainerState(team->trainers(), 0, 3), 3, dir_.Path("ws"),
                        [old](StoredTensor* tensor) {
                          if (old && tensor->name.starts_with("metric/")) tensor->shape = Shape();
                        });
  }

  EmulatedMachine machine_{kWorkers};
  const TempDir dir_;
};

TEST_F(TeamMetrics, AreAddedUpInTheOrderOfTheWorkers) {
  for (const bool on_gpus : {false, true}) {
    const auto groups = Start(kWorkers, on_gpus);
    WorkerTeam& team = groups->team(0);
    for (int64_t step = 0; step < 5; ++step) team.TrainStep(step);
    const std::vector<Sums> each = OfEach(&team);
    EXPECT_EQ(each[0].at(0).second, 5 * 2);  // rows
    EXPECT_EQ(each[2].at(0).second, 5 * 3);
    EXPECT_EQ(SumsIn(team.metrics().Sum()), InOrder(each));
    EXPECT_EQ(OfEach(&team), each);
    team.metrics().Reset();
    EXPECT_EQ(OfEach(&team), std::vector<Sums>(kWorkers, Sums(each[0].size())));
  }
}

// GPUs do not wait for metrics either.
TEST_F(TeamMetrics, OfGpusAreNotCopiedAfterEachStep) {
  const auto copies_of_steps = [](int workers) {
    const auto groups = Start(workers, true);
    WorkerTeam& team = groups->team(0);
    return CopiesOfSixSteps([&](int64_t step) { team.TrainStep(step); },
                            [&] { team.AwaitDevices(); });
  };
  EXPECT_EQ(copies_of_steps(kWorkers), kWorkers * copies_of_steps(1));
}

TEST_F(TeamMetrics, ComeBackToTheWorkersThatHadThem) {
  for (const bool on_gpus : {false, true}) {
    const auto groups = Start(kWorkers, on_gpus);
    WorkerTeam& team = groups->team(0);
    for (int64_t step = 0; step < 3; ++step) team.TrainStep(step);
    const std::vector<Sums> each = OfEach(&team);
    const auto checkpoint = Checkpointed(&team, false);
    const auto other = Start(kWorkers, on_gpus);
    TrainerState(other->team(0).trainers(), 0, 0).Restore(*checkpoint);
    EXPECT_EQ(OfEach(&other->team(0)), each);
  }
}

TEST_F(TeamMetrics, OfOtherWorkersBecomeTheFirstOnes) {
  const auto groups = Start(kWorkers, false);
  WorkerTeam& team = groups->team(0);
  for (int64_t step = 0; step < 3; ++step) team.TrainStep(step);
  const Sums all = SumsIn(team.metrics().Sum()), none(all.size());
  const auto checkpoint = Checkpointed(&team, false);
  const auto two = Start(2, false), one = Start(1, false);
  TrainerState(two->team(0).trainers(), 0, 0).Restore(*checkpoint);
  EXPECT_EQ(OfEach(&two->team(0)), (std::vector<Sums>{all, none}));
  TrainerState(one->team(0).trainers(), 0, 0).Restore(*checkpoint);
  EXPECT_EQ(OfEach(&one->team(0)), std::vector<Sums>{all});
}

// An old checkpoint has the sum over all workers. The first worker gets this sum.
TEST_F(TeamMetrics, OfAnOldCheckpointBecomeTheFirstOnes) {
  const auto groups = Start(kWorkers, false);
  WorkerTeam& team = groups->team(0);
  for (int64_t step = 0; step < 3; ++step) team.TrainStep(step);
  const Sums first = OfEach(&team)[0], none(first.size());
  const auto checkpoint = Checkpointed(&team, true);
  TrainerState(team.trainers(), 0, 0).Restore(*checkpoint);
  EXPECT_EQ(OfEach(&team), (std::vector<Sums>{first, none, none}));
}

TEST_F(TeamMetrics, OfAnotherProcessMustBeThoseOfAWorkerOfTheGroup) {
  const auto groups = Start(kWorkers, false);
  WorkerTeam& team = groups->team(0);
  TrainerState state(team.trainers(), 0, 0);
  for (const int worker : {-1, kWorkers}) {
    WorkerRows rows = RowsOf(team.trainers());
    rows.mutable_metrics(0)->set_worker(worker);
    EXPECT_THROW(state.Join(rows), PeerError) << worker;
  }
  WorkerRows rows = RowsOf(team.trainers());
  state.Join(rows);
  rows.mutable_metrics(1)->add_weight(1);
  EXPECT_THROW(state.Join(rows), PeerError);
}

}  // namespace
}  // namespace singa::team_metrics
