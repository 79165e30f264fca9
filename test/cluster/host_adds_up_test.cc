// Tests the messages of jobs whose workers have GPUs of their own, but whose host adds the
// gradients up. The GPUs are emulated.
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <string>

#include "cluster/workers/make_worker_groups.h"
#include "singa/base/error.h"
#include "singa/base/str_cat.h"
#include "support/emulated_machine.h"

namespace singa {
namespace host_adds_up {

class UpdaterOfTheHost final : public Updater {
 public:
  void Update(Context&, const UpdateStep&, float*, const float*, std::span<float* const>,
              int64_t) override {}
};
SINGA_REGISTER_UPDATER(HostAddsUpUpdater, UpdaterOfTheHost);

JobProto Job(const std::string& updater,
             const std::string& cluster = "nworkers_per_group: 2 nworkers_per_procs: 2") {
  JobProto job;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
      StrCat("gpu: 0 gpu: 1 train_steps: 1 train_one_batch { alg: kBP } updater { ", updater,
             R"( learning_rate { type: kFixed base_lr: 0.01 } }
    neuralnet {
      layer { name: "data" type: kRecordInput store_conf {
        backend: "synthetic" batchsize: 8 shape: 5 synthetic_conf { records: 70 classes: 3 } } }
      layer { name: "fc" type: kInnerProduct srclayers: "data" innerproduct_conf { num_output: 3 }
              param { name: "w" init { type: kConstant } }
              param { name: "b" init { type: kConstant } } }
      layer { name: "loss" type: kSoftmaxLoss srclayers: "fc" srclayers: "data" }
    }
    cluster { )",
             cluster, " }"),
      &job));
  return job;
}

class HostAddsUp : public ::testing::Test {
 protected:
  // Returns the text on stderr while the groups are made.
  static std::string Said(const std::string& updater, bool on_gpus) {
    testing::internal::CaptureStderr();
    const auto groups = MakeWorkerGroups(Job(updater), 1, nullptr);
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_EQ(groups->teams().UpdatesOnGpus(), on_gpus) << said;
    return said;
  }

  EmulatedMachine machine_{2};
};

TEST_F(HostAddsUp, IsNotSaidWhereGpusDo) { EXPECT_EQ(Said("type: kSGD", true), ""); }

TEST_F(HostAddsUp, SaysWhatIsAtFault) {
  const std::string said = Said("user_type: 'HostAddsUpUpdater'", false);
  EXPECT_NE(said.find("the GPUs' gradients are added up by the host, which is slower: updater "
                      "\"HostAddsUpUpdater\" has code for the host alone\n"),
            std::string::npos)
      << said;
}

TEST_F(HostAddsUp, SaysThatGpusFormNoGroup) {
  machine_.SetGroups(false);
  const std::string said = Said("type: kSGD", false);
  EXPECT_NE(said.find("by the host, which is slower: the emulated machine has no library for it\n"),
            std::string::npos)
      << said;
}

// The error is that of NCCL without a network interface.
TEST_F(HostAddsUp, SaysWhyNoGroupBegins) {
  GpuDriver driver = SetGpuDriver({});
  driver.new_group = []() -> GpuGroupId { throw DeviceError("no interface"); };
  SetGpuDriver(driver);
  const std::string said = Said("type: kSGD", false);
  EXPECT_NE(said.find("by the host, which is slower: no interface\n"), std::string::npos) << said;
}

// The error of kFloat16 contains this text.
TEST_F(HostAddsUp, IsWhatOtherJobsDo) {
  const auto why = [](const std::string& cluster) {
    return MakeWorkerGroups(Job("type: kSGD", cluster), 1, nullptr)->teams().WhyHostUpdates();
  };
  EXPECT_EQ(why("nworker_groups: 2 nworkers_per_procs: 2"), "the job has several worker groups");
  EXPECT_EQ(why("share_memory: false"), "servers have the values");
  EXPECT_EQ(why("nworkers_per_group: 2 nworkers_per_procs: 2 share_memory: false"),
            "the group's GPUs do not add up the gradients");
  EXPECT_EQ(why("nworkers_per_group: 3 nworkers_per_procs: 3"),
            "the group's GPUs do not add up the gradients");
}

}  // namespace host_adds_up
}  // namespace singa
