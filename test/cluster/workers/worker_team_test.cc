// Tests the threads of one group's workers. team_metrics_test.cc tests their metrics.
#include "cluster/workers/worker_team.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "cluster/workers/make_worker_groups.h"
#include "singa/base/error.h"
#include "train/state/init_params.h"

namespace singa::worker_team {
namespace {

constexpr int kWorkers = 3;

// Fails in the worker whose part of the batch begins with row `failing_row`.
class FailsAtARow final : public Layer {
 public:
  static constexpr int kNone = -1;
  static int failing_row;

  Wiring wiring(const LayerProto&) const override { return {.row_wise = true}; }
  void Setup(const LayerProto&, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    out[0]->data.SetShape(in[0]->data.shape());
  }
  void ComputeFeature(Context&, Phase, Inputs in, Outputs out) override {
    if (out[0]->span.first == failing_row) throw DeviceError("row has failed");
    std::copy_n(in[0]->data.data(), in[0]->data.size(), out[0]->data.data());
  }
  void ComputeGradient(Context&, Inputs, Outputs) override {}
};
int FailsAtARow::failing_row = kNone;
SINGA_REGISTER_LAYER(WorkerTeamFails, FailsAtARow);

// A batch has 7 rows: 2 each of workers 0 and 1, and 3 of worker 2.
JobProto Job(int workers) {
  JobProto job;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
      StrCat(R"(train_one_batch { alg: kBP }
    updater { type: kSGD learning_rate { type: kFixed base_lr: 0.01 } }
    neuralnet {
      layer { name: "data" type: kRecordInput store_conf {
        backend: "synthetic" batchsize: 7 shape: 5 synthetic_conf { records: 70 classes: 3 } } }
      layer { name: "fails" user_type: "WorkerTeamFails" srclayers: "data" }
      layer { name: "fc" type: kInnerProduct srclayers: "fails" innerproduct_conf { num_output: 3 }
              param { name: "w" init { type: kUniform } }
              param { name: "b" init { type: kConstant } } }
      layer { name: "loss" type: kSoftmaxLoss srclayers: "fc" srclayers: "data" }
    }
    cluster { nworkers_per_group: )",
             workers, " nworkers_per_procs: ", workers, " }"),
      &job));
  return job;
}

class WorkerTeamTest : public ::testing::Test {
 protected:
  WorkerTeamTest() {
    groups_->Allocate();
    InitParams(groups_->lead().model().ctx(), {}, &groups_->lead().model().params());
    groups_->Start(2);
  }
  ~WorkerTeamTest() override { FailsAtARow::failing_row = FailsAtARow::kNone; }

  const std::unique_ptr<WorkerGroups> groups_ = MakeWorkerGroups(Job(kWorkers), 1, nullptr);
  WorkerTeam& team_ = groups_->team(0);
};

TEST_F(WorkerTeamTest, HasATrainerForEachWorker) {
  EXPECT_EQ(team_.size(), kWorkers);
  EXPECT_EQ(team_.trainers().size(), size_t{kWorkers});
  EXPECT_EQ(team_.trainers()[0], &team_.lead());
}

TEST_F(WorkerTeamTest, AllItsWorkersHaveTheWholeBatch) { EXPECT_EQ(team_.rows(), 7); }

TEST_F(WorkerTeamTest, AStepTrainsTheValuesOfAllWorkers) {
  const auto value = [](Trainer* trainer) {
    return trainer->model().params().Find("w")->host().data()[0];
  };
  const float before = value(&team_.lead());
  team_.TrainStep(0);
  EXPECT_NE(value(&team_.lead()), before);
  for (Trainer* trainer : team_.trainers()) EXPECT_EQ(value(trainer), value(&team_.lead()));
}

TEST_F(WorkerTeamTest, ThrowsTheErrorOfTheWorkerThatFailed) {
  FailsAtARow::failing_row = 2;
  EXPECT_THROW(team_.TrainStep(0), DeviceError);
}

TEST_F(WorkerTeamTest, AfterAnErrorItTrainsNoMoreAndThrowsTheErrorAgain) {
  FailsAtARow::failing_row = 4;
  EXPECT_THROW(team_.TrainStep(0), DeviceError);
  FailsAtARow::failing_row = FailsAtARow::kNone;
  EXPECT_THROW(team_.TrainStep(1), DeviceError);
}

TEST_F(WorkerTeamTest, TheLeadMayFail) {
  FailsAtARow::failing_row = 0;
  EXPECT_THROW(team_.TrainStep(0), DeviceError);
}

TEST_F(WorkerTeamTest, WorkersThatAreStoppedDoNotWaitForEachOther) {
  team_.Stop();
  EXPECT_THROW(team_.TrainStep(0), Stopped);
}

TEST_F(WorkerTeamTest, RecordsOfAllWorkersAreAwaited) {
  EXPECT_TRUE(team_.AwaitRecords([] { return false; }));
}

}  // namespace
}  // namespace singa::worker_team
