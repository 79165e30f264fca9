// Tests the use of GPUs in a job's conf, on a machine with emulated GPUs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "driver/conf/check_job.h"
#include "support/emulated_machine.h"

namespace singa::gpu_conf {
namespace {

using testing::HasSubstr;
using testing::Not;

// Returns the findings for a job with groups of three workers on a machine with `gpus_there` GPUs.
std::string Found(const std::string& gpus, const std::string& cluster, int gpus_there = 3) {
  const EmulatedMachine machine(gpus_there);
  return CheckJobText("F",
                      StrCat(R"(train_steps: 10 train_one_batch { alg: kBP }
updater { type: kSGD learning_rate { type: kFixed base_lr: 0.1 } }
neuralnet {
  layer { name: "data" type: kRecordInput store_conf {
          backend: "synthetic" batchsize: 6 shape: 5 synthetic_conf { records: 70 classes: 3 } } }
  layer { name: "fc" type: kInnerProduct srclayers: "data" innerproduct_conf { num_output: 3 }
          param { name: "w" init { type: kConstant } } param { name: "b" init { type: kConstant } } }
  layer { name: "loss" type: kSoftmaxLoss srclayers: "fc" srclayers: "data" }
}
cluster { nworkers_per_group: 3 )",
                             cluster, " }\n", gpus),
                      {}, {})
      ->conf.Render();
}

TEST(GpuConf, TwoWorkersOnOneGpuAreAnErrorWithAllReduce) {
  for (const std::string processes : {"nworkers_per_procs: 1", "nworkers_per_procs: 3"})
    EXPECT_THAT(Found("gpu: 1 gpu: 0\ngpu: 1", processes + " all_reduce {}"),
                HasSubstr("F:12:1: error: gpu[2]: workers 0 and 2 share GPU 1, and with "
                          "cluster.all_reduce NCCL needs one for each\n"));
}

TEST(GpuConf, WorkersWithGpusOfTheirOwnDrawNothing) {
  EXPECT_EQ(Found("gpu: 1 gpu: 0 gpu: 2", "nworkers_per_procs: 3 all_reduce {}"), "");
  EXPECT_EQ(Found("gpu: 1 gpu: 0 gpu: 2", "all_reduce {}"), "");
}

TEST(GpuConf, GpusThatNoWorkerUsesDrawAWarningAlone) {
  const std::string found = Found("gpu: [1, 0, 2, 1]", "nworkers_per_procs: 3 all_reduce {}");
  EXPECT_THAT(found, HasSubstr("F:11:1: warning: gpu: names 4 GPUs, the job has 3 workers "
                               "(cluster.nworkers_per_group, nworker_groups): the rest is not "
                               "used\n"));
  EXPECT_THAT(found, Not(HasSubstr("error")));
}

TEST(GpuConf, CompressionIsForGpus) {
  for (const char* name : {"kFp16", "kTopK", "kThreshold", "kPowerSGD", "kPartial"})
    EXPECT_EQ(Found("gpu: 1 gpu: 0 gpu: 2", StrCat("all_reduce { compression: ", name, " }")), "");
  EXPECT_EQ(Found("gpu: 1 gpu: 0 gpu: 2", "all_reduce { compression: kTopK warmup_steps: 100 }"),
            "");
  EXPECT_THAT(Found("", "all_reduce { compression: kFp16 }"),
              HasSubstr("warning: cluster.all_reduce.compression: has no effect between processes "
                        "that share memory, such as those of one host\n"));
  EXPECT_THAT(Found("", "nworkers_per_procs: 3 all_reduce { compression: kTopK }"),
              HasSubstr("warning: cluster.all_reduce.compression: has no effect: the workers of "
                        "one process send no gradients\n"));
  EXPECT_THAT(Found("", "share_memory: false all_reduce { compression: kTopK }"),
              Not(HasSubstr("all_reduce.compression")));
}

TEST(GpuConf, ProcessesThatExchangeAmongThemselvesDrawNothing) {
  for (const char* mode : {"compression: kPartial", "compression: kPowerSGD", "backend: kMpi"})
    EXPECT_EQ(Found("", StrCat("share_memory: false all_reduce { fusion_elements: 9 ", mode, " }")),
              "");
  EXPECT_THAT(
      Found("", "nworker_groups: 2 share_memory: false all_reduce { compression: kPartial }"),
      HasSubstr("error: cluster.all_reduce.compression: kPartial needs one worker group; "
                "nworker_groups is 2\n"));
  EXPECT_THAT(
      Found("", "nworkers_per_procs: 3 all_reduce { backend: kMpi }"),
      HasSubstr("warning: cluster.all_reduce.backend: kMpi has no effect with one process\n"));
}

TEST(GpuConf, SparsityOfAThresholdIsForGpusThatFeedBack) {
  const std::string by_threshold = "all_reduce { compression: kThreshold sparsity: 0.1";
  EXPECT_EQ(Found("gpu: 1 gpu: 0 gpu: 2", by_threshold + " }"), "");
  EXPECT_THAT(Found("gpu: 1 gpu: 0 gpu: 2", by_threshold + " error_feedback: false }"),
              HasSubstr("warning: cluster.all_reduce.sparsity: has no effect with compression: "
                        "kThreshold and error_feedback: false\n"));
  EXPECT_THAT(Found("gpu: 1 gpu: 0 gpu: 2", by_threshold + " threshold: 0 }"),
              HasSubstr("warning: cluster.all_reduce.sparsity: has no effect with compression: "
                        "kThreshold and threshold: 0\n"));
  EXPECT_THAT(Found("", "share_memory: false " + by_threshold + " }"),
              HasSubstr("warning: cluster.all_reduce.sparsity: has no effect with compression: "
                        "kThreshold unless GPUs add the gradients up\n"));
}

TEST(GpuConf, FusionIsForGpusAndRanks) {
  const std::string fused = "all_reduce { fusion_elements: 9 }", gpus = "gpu: 1 gpu: 0 gpu: 2";
  EXPECT_EQ(Found(gpus, fused), "");
  const std::string idle =
      "warning: cluster.all_reduce.fusion_elements: has no effect: it is for the backends kNccl "
      "and "
      "kMpi, and for compression kPartial and kPowerSGD\n";
  EXPECT_THAT(Found("", fused), HasSubstr(idle));
  EXPECT_THAT(Found(gpus, "nworker_groups: 2 " + fused), HasSubstr(idle));
}

TEST(GpuConf, WithoutAllReduceWorkersMayShareAGpu) {
  EXPECT_EQ(Found("gpu: 1 gpu: 1 gpu: 1", "nworkers_per_procs: 3"), "");
}

TEST(GpuConf, AllReduceOnCpusDrawsNothing) {
  for (const char* settings : {"nworkers_per_procs: 3 all_reduce {}", "all_reduce {}",
                               "share_memory: false all_reduce {}"})
    EXPECT_EQ(Found("", settings), "") << settings;
}

TEST(GpuConf, OneProcessMayHaveServers) {
  const std::string served = "nworkers_per_procs: 3 all_reduce { backend: kServers ";
  EXPECT_EQ(Found("", served + "}"), "");
  EXPECT_EQ(Found("", served + "compression: kTopK }"), "") << "gradients are compressed";
}

// NCCL adds up the gradients of one group only.
TEST(GpuConf, OfSeveralGroupsTheHostAddsUpSoWorkersMayShareAGpu) {
  for (const std::string processes : {"nworkers_per_procs: 3", "nworkers_per_procs: 6"}) {
    const std::string found =
        Found("gpu: 0 gpu: 0", "nworker_groups: 2 all_reduce {} " + processes);
    EXPECT_THAT(found, Not(HasSubstr("error")));
    EXPECT_THAT(found, HasSubstr("warning: cluster.all_reduce: with several worker groups, the "
                                 "host adds the gradients up\n"));
  }
}

TEST(GpuConf, WithAnotherBackendTheHostAddsUp) {
  const std::string shared = "nworkers_per_procs: 3 all_reduce { backend: ";
  const std::string memory = Found("gpu: 0 gpu: 0", shared + "kMemory compression: kTopK }");
  EXPECT_THAT(memory, Not(HasSubstr("error"))) << "workers may share a GPU";
  EXPECT_THAT(memory, Not(HasSubstr("cluster.all_reduce:")));
  EXPECT_THAT(memory, HasSubstr("warning: cluster.all_reduce.compression: has no effect: the "
                                "workers of one process send no gradients\n"));
  EXPECT_THAT(Found("gpu: 0 gpu: 1", shared + "kServers compression: kPartial }"),
              HasSubstr("error: cluster.all_reduce.backend: kServers does not support kPartial"));
}

// Without any GPU these numbers mean nothing.
TEST(GpuConf, WithoutAnyGpuWorkersMayHaveTheSameNumber) {
  const std::string found = Found("gpu: 1 gpu: 1", "nworkers_per_procs: 3 all_reduce {}", 0);
  EXPECT_THAT(found, Not(HasSubstr("error")));
  EXPECT_THAT(found, Not(HasSubstr("all_reduce")));
}

TEST(GpuConf, NcclWithoutAnyGpuIsNotUsed) {
  EXPECT_THAT(
      Found("gpu: 0 gpu: 1 gpu: 2", "all_reduce { backend: kNccl }", 0),
      HasSubstr("warning: cluster.all_reduce.backend: kNccl has no effect: singa finds no GPU\n"));
}

}  // namespace
}  // namespace singa::gpu_conf
