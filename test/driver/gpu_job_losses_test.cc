// Tests that a job on each existing GPU has the losses of the CPU in float32. Jobs of two workers,
// whose GPUs add the gradients up, have them, too: on two emulated GPUs, and on two of this machine
// by NCCL.
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "support/driver/device_job.h"
#include "support/heard_log.h"
#include "support/test_device.h"

namespace singa::device_job {
namespace {

class GpuJobLosses : public ::testing::TestWithParam<TestPlace> {
 protected:
  GpuJobLosses() {
    if (GetParam() == TestPlace::kEmulated) machine_.emplace(2);
  }

  // Trains, and returns the loss of each step.
  std::vector<double> Train(int workers, bool on_gpus, bool normalised) const {
    JobProto job =
        Job(StrCat("nworkers_per_group: ", workers, " nworkers_per_procs: ", workers), normalised);
    job.set_precision(JobProto::kFloat32);
    job.set_test_freq(0);
    job.set_disp_freq(1);
    const std::string workspace = dir_.Path(StrCat("ws", on_gpus, normalised));
    job.mutable_cluster()->set_workspace(workspace);
    for (int gpu = 0; on_gpus && gpu < workers; ++gpu) job.add_gpu(gpu);
    RunOptions options;
    options.threads = 1;
    Progress progress;
    EXPECT_EQ(TrainJob(job, options, &progress), kExitOk);
    std::vector<double> losses;
    std::istringstream rows(Bytes(workspace + "/metrics.jsonl"));
    for (std::string row; std::getline(rows, row);) {
      const auto read = nlohmann::json::parse(row);
      if (read.at("phase") == "train") losses.push_back(read.at("loss"));
    }
    return losses;
  }

  // The tolerance is 1e-4, because GPUs add up in another order.
  void ExpectTheCpus(int workers) const {
    for (const bool normalised : {false, true}) {
      SCOPED_TRACE(normalised);
      const HeardLog log;
      const std::vector<double> cpu = Train(workers, false, normalised);
      const std::vector<double> gpus = Train(workers, true, normalised);
      ASSERT_EQ(cpu.size(), 12u);
      ASSERT_EQ(gpus.size(), cpu.size());
      for (size_t i = 0; i < cpu.size(); ++i) EXPECT_NEAR(gpus[i], cpu[i], 1e-4) << "step " << i;
      EXPECT_FALSE(log.Has("added up by the host"));
      EXPECT_FALSE(log.Has("a step cannot be captured"));
    }
  }

  std::optional<EmulatedMachine> machine_;
  TempDir dir_;
};
SINGA_TEST_ON_ALL_GPUS(GpuJobLosses);

TEST_P(GpuJobLosses, OfOneWorkerAreThoseOfTheCpuInEachStep) { ExpectTheCpus(1); }

TEST_P(GpuJobLosses, OfAGroupThatAddsUpAreThoseOfTheCpuInEachStep) {
  std::string why;
  if (CountGpus() < 2) GTEST_SKIP() << "there is one GPU, a group takes two";
  if (!CanGroupGpus(&why)) GTEST_SKIP() << why;
  ExpectTheCpus(2);
}

}  // namespace
}  // namespace singa::device_job
