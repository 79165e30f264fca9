// Trains whole jobs of several worker groups as threads, with or without servers. Tests and
// collections of the model happen between steps. Each update must count once, whatever other groups
// do meanwhile. The thread sanitizer must find no race.
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "cluster/workers/job_snapshot.h"
#include "singa/base/error.h"
#include "train/state/init_params.h"

namespace singa {
namespace {

constexpr int kGroups = 2, kWorkers = 2;

struct Cluster {
  const char* name;
  const char* settings;
  bool plain_kernels = false;  // vendors' are not compiled for the sanitizer
};

// fc1's weight is large enough for its gradient to come in pieces. Plain kernels would take too
// long for it.
JobProto Job(const Cluster& cluster) {
  JobProto job;
  const std::string text =
      StrCat(R"(
    test_steps: 2 test_freq: 1
    train_one_batch { alg: kBP }
    updater { type: kAdam learning_rate { type: kFixed base_lr: 0.001 } }
    neuralnet {
      layer { name: "data" type: kRecordInput store_conf {
        backend: "synthetic" batchsize: 6 shape: 1 shape: 12 shape: 12 mean_value: 127 std_value: 255
        shuffle: true synthetic_conf { records: 60 classes: 5 } } }
      layer { name: "conv" type: kConvolution srclayers: "data"
              convolution_conf { num_filters: 4 kernel: 3 }
              param { name: "w0" init { type: kUniform low: -0.3 high: 0.3 } }
              param { name: "b0" init { type: kConstant } } }
      layer { name: "fc1" type: kInnerProduct srclayers: "conv" innerproduct_conf { num_output: )",
             cluster.plain_kernels ? 20 : 700, R"( }
              param { name: "w1" init { type: kUniformSqrtFanIn } }
              param { name: "b1" init { type: kConstant } } }
      layer { name: "relu" type: kReLU srclayers: "fc1" }
      layer { name: "fc2" type: kInnerProduct srclayers: "relu" innerproduct_conf { num_output: 5 }
              param { name: "w2" init { type: kUniformSqrtFanIn } }
              param { name: "b2" init { type: kConstant } } }
      layer { name: "norm" type: kBM srclayers: "fc2" }
      layer { name: "loss" type: kSoftmaxLoss srclayers: "norm" srclayers: "data" }
    }
    cluster { stall_timeout: 30 nworker_groups: )",
             kGroups, " nworkers_per_group: ", kWorkers, " ", cluster.settings, " }");
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &job));
  job.set_plain_kernels(cluster.plain_kernels);
  return job;
}

class GroupsTogether : public ::testing::TestWithParam<Cluster> {
 protected:
  static constexpr int64_t kSteps = 30;
};
INSTANTIATE_TEST_SUITE_P(
    Clusters, GroupsTogether,
    ::testing::Values(Cluster{"SharedValues", ""}, Cluster{"SharedValuesPlain", "", true},
                      Cluster{"Servers", "share_memory: false nservers_per_group: 2"},
                      Cluster{"Bounded", "share_memory: false max_staleness: 2"},
                      Cluster{"Masters", "nserver_groups: 2 nservers_per_group: 2 sync_freq: 2"},
                      Cluster{"Ring", "nserver_groups: 2 group_sync: kRing"},
                      Cluster{"Elastic", "nserver_groups: 2 sync_freq: 2 group_sync: kElastic"}),
    [](const auto& test) { return test.param.name; });

void Train(WorkerGroups* groups, int group, int64_t step) {
  groups->team(group).TrainStep(step);
  groups->steps().NoteSteps(group, step + 1);
}

void Collect(JobSnapshot* snapshot, int64_t steps) {
  const JobSnapshot::Hold hold(snapshot);
  snapshot->Collect(steps);
}

TEST_P(GroupsTogether, EachUpdateCounts) {
  const JobProto job = Job(GetParam());
  WorkerGroups groups(job, 1);
  groups.Allocate();
  groups.WatchStalls([](const std::string& text) { ADD_FAILURE() << text; });
  InitParams(groups.lead().model().ctx(), {}, &groups.lead().model().params());
  groups.Start(kSteps);
  JobSnapshot snapshot(&groups);
  StepGate& gate = groups.steps().gate();
  std::vector<std::thread> others;
  for (int group = 1; group < kGroups; ++group)
    others.emplace_back([&groups, &gate, group] {
      for (int64_t step = 0; step < kSteps && gate.Pass(group, step); ++step)
        Train(&groups, group, step);
      gate.Leave(group);
    });
  for (int64_t step = 0; step < kSteps; ++step) {
    if (step % 10 == 5) {
      Collect(&snapshot, step);
      const auto sums = groups.lead().model().evaluator(kTest)->Run(2, [] { return false; });
      EXPECT_TRUE(std::isfinite(sums->entries().at(0).value()));
    }
    if (!gate.Pass(0, step)) break;
    Train(&groups, 0, step);
  }
  gate.Leave(0);
  EXPECT_TRUE(gate.AwaitOthers(0, std::chrono::minutes(1)));
  for (std::thread& thread : others) thread.join();
  Collect(&snapshot, kSteps);
  // A server counts the updates of its own groups only. A change from another group is no update.
  const int64_t counted = job.cluster().nserver_groups() > 1 ? kSteps : kGroups * kSteps;
  Replica& replica = groups.lead().replica();
  for (size_t i = 0; i < replica.states().size(); ++i)
    EXPECT_EQ(replica.count(static_cast<int>(i)), counted) << replica.states()[i].param;
}

// A test or a checkpoint does not change the training.
TEST(OwnValuesOfGroupsTogether, ComeBackAfterACollection) {
  for (const char* cluster : {"share_memory: false", "nserver_groups: 2 sync_freq: 3",
                              "nserver_groups: 2 sync_freq: 2 group_sync: kElastic"}) {
    WorkerGroups groups(Job({"", cluster}), 1);
    JobSnapshot snapshot(&groups);
    groups.Allocate();
    InitParams(groups.lead().model().ctx(), {}, &groups.lead().model().params());
    groups.Start(5);
    for (int64_t step = 0; step < 5; ++step)
      for (int group = 0; group < kGroups; ++group) Train(&groups, group, step);
    const auto values = [&groups] {
      std::vector<std::vector<float>> all;
      for (const Param* param : groups.lead().model().trained().params)
        all.emplace_back(param->data.data(), param->data.data() + param->size());
      return all;
    };
    Collect(&snapshot, 5);
    const std::vector<std::vector<float>> model = values();
    snapshot.BringOwnValuesBack();
    const std::vector<std::vector<float>> own = values();
    EXPECT_NE(own, model) << cluster;
    Collect(&snapshot, 5);
    Collect(&snapshot, 5);
    EXPECT_EQ(values(), model) << cluster;
    snapshot.BringOwnValuesBack();
    EXPECT_EQ(values(), own) << cluster;
  }
}

}  // namespace
}  // namespace singa
