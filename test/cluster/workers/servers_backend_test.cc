// Tests the values and updates of worker groups that servers of their process keep in sync.
#include "cluster/workers/servers_backend.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "cluster/workers/worker_groups.h"
#include "singa/base/error.h"
#include "train/state/init_params.h"

namespace singa::servers_backend {
namespace {

constexpr int64_t kFloats = 5 * 3 + 3;  // of "w" and "b"

JobProto Job(const std::string& cluster) {
  JobProto job;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
      StrCat(R"(train_steps: 9 train_one_batch { alg: kBP }
    updater { type: kSGD momentum: 0.9 learning_rate { type: kFixed base_lr: 0.1 } }
    neuralnet {
      layer { name: "data" type: kRecordInput store_conf {
        backend: "synthetic" batchsize: 4 shape: 5 synthetic_conf { records: 40 classes: 3 } } }
      layer { name: "fc" type: kInnerProduct srclayers: "data" innerproduct_conf { num_output: 3 }
              param { name: "w" init { type: kUniform } }
              param { name: "b" init { type: kConstant } } }
      layer { name: "loss" type: kSoftmaxLoss srclayers: "fc" srclayers: "data" }
    }
    cluster { share_memory: false )",
             cluster, " }"),
      &job));
  return job;
}

// These are the worker groups of a job's one process.
struct Groups {
  explicit Groups(const std::string& cluster) : groups(Job(cluster), 1) {
    groups.Allocate();
    InitParams(groups.lead().model().ctx(), {}, &groups.lead().model().params());
    groups.Start();
  }
  void Train(int group, int64_t step) {
    groups.team(group).TrainStep(step);
    groups.steps().NoteSteps(group, step + 1);
  }
  std::vector<SliceState> Gather() { return groups.backend().Gather(groups.steps().done()); }
  // Returns the values of `group` in one row.
  std::vector<float> ValuesOf(int group) {
    std::vector<float> all;
    for (const Param* param : groups.team(group).lead().model().trained().params)
      all.insert(all.end(), param->data.data(), param->data.data() + param->size());
    return all;
  }
  // Returns the values of the gathered slices, without states.
  std::vector<float> ModelOf(const std::vector<SliceState>& slices) {
    const SliceTable& table = groups.lead().model().trained().table;
    std::vector<float> all;
    for (int s = 0; s < table.size(); ++s)
      all.insert(all.end(), slices[s].floats.begin(), slices[s].floats.begin() + table[s].size);
    return all;
  }

  WorkerGroups groups;
};

// The bytes of a worker and its gradients are counted by the teams.
TEST(ServersBackendTest, AddsTheMemoryOfServersAndOfOtherGroupsValues) {
  const auto added = [](const std::string& cluster) {
    WorkerGroups groups(Job(cluster), 1);
    JobMemory sum;
    groups.backend().AddMemory(&groups.teams(), &sum);
    EXPECT_EQ(sum.host.total(), sum.host.params + sum.host.updater);
    return std::pair(sum.host.params / 4, sum.host.updater / 4);
  };
  EXPECT_EQ(added(""), std::pair(int64_t{0}, kFloats))
      << "states alone: the server uses the params";
  EXPECT_EQ(added("nworker_groups: 3"), std::pair(2 * kFloats, 2 * kFloats));
}

TEST(ServersBackendTest, StartsAllGroupsWithTheLeadsValues) {
  Groups job("nworker_groups: 2");
  EXPECT_EQ(job.ValuesOf(1), job.ValuesOf(0));
  EXPECT_EQ(job.ModelOf(job.Gather()), job.ValuesOf(0));
}

TEST(ServersBackendTest, GathersTheUpdatesOfAllGroups) {
  Groups job("nworker_groups: 2");
  const std::vector<float> first = job.ValuesOf(0);
  job.Train(0, 0);
  job.Train(1, 0);
  job.Train(1, 1);
  const std::vector<SliceState> slices = job.Gather();
  for (const SliceState& slice : slices) {
    EXPECT_EQ(slice.version, 3);
    EXPECT_EQ(slice.count, 3);
  }
  EXPECT_NE(job.ModelOf(slices), first);
}

// Group 1 computed its gradients from the first values, and group 0's update came in between.
TEST(ServersBackendTest, CountsHowStaleGradientsAre) {
  Groups job("nworker_groups: 2");
  job.Train(0, 0);
  job.Gather();  // waits until the update has been applied
  job.Train(1, 0);
  job.Train(1, 1);  // counts the step before
  const StalenessCounts counts = job.groups.backend().TakeStaleness(1);
  EXPECT_EQ(counts.total, 2);  // slices
  EXPECT_EQ(counts.most, 1);
  EXPECT_EQ(job.groups.backend().TakeStaleness(1).total, 0);
}

TEST(ServersBackendTest, AFailureEndsTheStepsOfItsGroups) {
  Groups job("nworker_groups: 2");
  job.groups.backend().Fail(std::make_exception_ptr(DivergedError("no more")));
  EXPECT_THROW(job.Train(1, 0), DivergedError);
}

TEST(ServersBackendTest, WatchesItsServers) {
  Groups job("nworker_groups: 2 nservers_per_group: 2 stall_timeout: 1");
  StallDetector detector(kSecond);
  job.groups.backend().WatchServers(" in process 4", &detector);
  EXPECT_EQ(detector.Look(0), std::nullopt);
  const std::string all = detector.Describe(0);
  for (const char* name : {"server 0 of group 0 in process 4", "server 1 of group 0 in process 4"})
    EXPECT_NE(all.find(name), std::string::npos) << all;
}

}  // namespace
}  // namespace singa::servers_backend
