// Tests threads of one process that train one replica: as one worker would, or each group at its
// own pace.
#include "cluster/workers/worker_groups.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "singa/base/error.h"
#include "train/state/init_params.h"

namespace singa {
namespace {

// The weight of `a` is large enough to come in pieces; the others come whole.
JobProto Job(int groups, int workers, const std::string& settings = "") {
  JobProto job;
  const std::string text = StrCat(R"(
    train_one_batch { alg: kBP }
    updater { type: kSGD momentum: 0.9 learning_rate { type: kFixed base_lr: 0.01 } )",
                                  settings, R"( }
    neuralnet {
      layer { name: "data" type: kRecordInput store_conf {
        backend: "synthetic" batchsize: 7 shape: 500 mean_value: 127 std_value: 255 synthetic_conf { records: 70 classes: 5 } } }
      layer { name: "a" type: kInnerProduct srclayers: "data"
              innerproduct_conf { num_output: 700 }
              param { name: "wa" init { type: kUniformSqrtFanIn } }
              param { name: "ba" init { type: kConstant } } }
      layer { name: "s" type: kSTanh srclayers: "a" }
      layer { name: "b" type: kInnerProduct srclayers: "s" innerproduct_conf { num_output: 5 }
              param { name: "wb" init { type: kUniformSqrtFanIn } }
              param { name: "bb" init { type: kConstant } } }
      layer { name: "loss" type: kSoftmaxLoss srclayers: "b" srclayers: "data" }
    }
    cluster { nworker_groups: )",
                                  groups, " nworkers_per_group: ", workers, " }");
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &job));
  return job;
}

std::unique_ptr<WorkerGroups> Start(const JobProto& job) {
  auto groups = std::make_unique<WorkerGroups>(job, 1);
  groups->Allocate();
  InitParams(groups->lead().model().ctx(), {}, &groups->lead().model().params());
  groups->Start(20);  // no test takes more
  return groups;
}

void ExpectSameValues(WorkerGroups* a, WorkerGroups* b, float tolerance) {
  for (const auto& param : a->lead().model().params().params()) {
    const float* other = b->lead().model().params().Find(param->name())->data.data();
    for (int64_t i = 0; i < param->size(); ++i)
      ASSERT_NEAR(param->data.data()[i], other[i], tolerance) << param->name() << " " << i;
  }
}

class TeamOfWorkersTest : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Updaters, TeamOfWorkersTest, ::testing::Values("", "clip_norm: 0.1"));

TEST_P(TeamOfWorkersTest, ComputesWhatOneWorkerDoes) {
  const auto one = Start(Job(1, 1, GetParam()));
  for (const int workers : {2, 3, 7}) {
    const auto several = Start(Job(1, workers, GetParam()));
    EXPECT_EQ(several->team(0).size(), workers);
    const auto again = Start(Job(1, workers, GetParam()));
    const auto alone = Start(Job(1, 1, GetParam()));
    for (int64_t step = 0; step < 6; ++step) {
      alone->team(0).TrainStep(step);
      several->team(0).TrainStep(step);
      again->team(0).TrainStep(step);
    }
    ExpectSameValues(alone.get(), several.get(), 2e-6f);
    ExpectSameValues(several.get(), again.get(), 0);
    const auto a = alone->team(0).metrics().Sum().entries(),
               b = several->team(0).metrics().Sum().entries();
    for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i].value(), b[i].value(), 1e-5);
  }
}

TEST(TeamOfWorkersTest, WorkersShareValuesAndGradientsAreTheirOwn) {
  const auto groups = Start(Job(1, 2));
  Trainer &first = *groups->team(0).trainers()[0], &second = *groups->team(0).trainers()[1];
  for (const auto& param : first.model().params().params()) {
    const Param& other = *second.model().params().Find(param->name());
    EXPECT_EQ(param->data.data(), other.data.data()) << param->name();
    if (param->name() == "wa")
      EXPECT_TRUE(param->sink && other.sink && param->grad.empty());
    else
      EXPECT_NE(param->grad.data(), other.grad.data()) << param->name();
  }
  EXPECT_EQ(first.model().net().nodes()[0].out[0]->data.rows(), 3);
  EXPECT_EQ(second.model().net().nodes()[0].out[0]->data.rows(), 4);
}

// One worker's loss is not finite: its group drops the whole step, and continues.
TEST(TeamOfWorkersTest, AStepThatIsDroppedIsDroppedByAll) {
  JobProto job = Job(1, 3);
  job.set_on_nonfinite(JobProto::kSkip);
  const auto groups = Start(job);
  WorkerTeam& team = groups->team(0);
  team.TrainStep(0);
  Param* bias = team.lead().model().params().Find("bb");
  const float value = bias->data.data()[0];
  bias->data.data()[0] = NAN;
  team.TrainStep(1);
  EXPECT_EQ(groups->teams().CountSkips(), 1);
  EXPECT_TRUE(std::isnan(bias->data.data()[0]));
  bias->data.data()[0] = value;
  team.TrainStep(2);
  EXPECT_EQ(groups->teams().CountSkips(), 1);
  EXPECT_NE(bias->data.data()[0], value);
}

TEST(TeamOfWorkersTest, AFailureEndsTheStepOfAll) {
  const auto groups = Start(Job(1, 4));
  groups->lead().model().params().Find("bb")->data.data()[0] = NAN;
  EXPECT_THROW(groups->team(0).TrainStep(0), DivergedError);
}

TEST(WorkerGroupsTest, EachUpdateOfEachGroupCounts) {
  const auto groups = Start(Job(3, 2));
  std::vector<std::thread> threads;
  for (int group = 0; group < groups->size(); ++group)
    threads.emplace_back([&, group] {
      for (int64_t step = 0; step < 20 && groups->steps().gate().Pass(group, step); ++step)
        groups->team(group).TrainStep(step);
      groups->steps().gate().Leave(group);
    });
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 0; i < groups->lead().replica().states().size(); ++i)
    EXPECT_EQ(groups->lead().replica().count(static_cast<int>(i)), 60);
}

}  // namespace
}  // namespace singa
