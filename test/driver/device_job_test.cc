// Tests whole jobs with workers on devices, in every topology of one process. The devices are
// emulated (support/emulated_gpu.h), so the results equal those of workers on the CPU.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "io/checkpoint/safetensors.h"
#include "support/driver/device_job.h"

namespace singa::device_job {
namespace {

TEST_F(DeviceJob, OfOneWorkerIsThatOfTheCpu) { EXPECT_EQ(Train("", 1), Train("", 0)); }

TEST_F(DeviceJob, OfAGroupIsThatOfTheCpuHoweverManyGpusItHas) {
  const std::string group = "nworkers_per_group: 3 nworkers_per_procs: 3";
  const std::string on_cpu = Train(group, 0);
  EXPECT_EQ(Train(group, 2), on_cpu);  // the third on the CPU
  EXPECT_EQ(Train(group, 3), on_cpu);
}

TEST_F(DeviceJob, WithServersIsThatOfTheCpu) {
  const std::string served =
      "nworkers_per_group: 2 nworkers_per_procs: 2 nservers_per_group: 2 nservers_per_procs: 2 "
      "share_memory: false";
  EXPECT_EQ(Train(served, 2), Train(served, 0));
}

TEST_F(DeviceJob, OfAsynchronousGroupsAppliesEachStepOfEach) {
  Train("nworker_groups: 2 nworkers_per_group: 1 nworkers_per_procs: 2", 2);
  const std::string file = dir_.Path("ws2/checkpoint/step12/state.safetensors");
  const std::string bytes = Bytes(file);
  const Safetensors state(std::as_bytes(std::span(bytes)), file);
  EXPECT_EQ(state.Values<int64_t>("updater/w/count", Shape())[0], 24);
}

TEST_F(DeviceJob, GoesOnWhereItEnded) {
  const std::string whole = Train("", 0);
  Train("", 1, false, 6);
  EXPECT_EQ(Train("", 1, true), whole);
}

TEST_F(DeviceJob, WhoseDeviceIsLostGoesOnFromItsCheckpoint) {
  const std::string whole = Train("", 0);
  const int64_t before = EmulatedGpu::works_of_all();
  Train("", 1);
  machine_.SetFault({GpuFault::kLost, (EmulatedGpu::works_of_all() - before) * 3 / 4});
  EXPECT_THROW(Train("", 1), DeviceError);
  EXPECT_TRUE(std::filesystem::exists(dir_.Path("ws1/checkpoint/step6")));
  EXPECT_FALSE(std::filesystem::exists(dir_.Path("ws1/checkpoint/step12")));
  machine_.SetFault({});
  EXPECT_EQ(Train("", 1, true), whole);
}

TEST_F(DeviceJob, IsTestedOnTheDeviceToTheNumbersOfTheCpu) {
  Train("", 1);
  nlohmann::json rows[2];
  for (const bool on_device : {false, true}) {
    JobProto job = Job("");
    if (on_device) job.add_gpu(0);
    job.mutable_cluster()->set_workspace(dir_.Path(StrCat("test", on_device)));
    job.add_checkpoint_path(dir_.Path("ws1/checkpoint/step12/model.safetensors"));
    RunOptions options;
    options.threads = 1;
    Progress progress;
    EXPECT_EQ(TestJob(job, options, &progress), kExitOk);
    rows[on_device] = nlohmann::json::parse(
        Bytes(dir_.Path(StrCat("test", on_device, "/metrics.jsonl"))));  // the file has one row
    rows[on_device].erase("time");
  }
  EXPECT_EQ(rows[1], rows[0]);
  EXPECT_TRUE(rows[0].contains("loss")) << rows[0];
}

// The debug files describe layers and params on the device.
TEST_F(DeviceJob, WritesTheDebugFilesOfTheCpu) {
  JobProto job = Job("");
  job.set_debug(true);
  job.set_disp_freq(5);
  EXPECT_EQ(Train(job, 1), Train(job, 0));
  for (const char* file : {"fp-step10-loc0.json", "bp-step10-loc0.json"})
    EXPECT_EQ(Bytes(dir_.Path(StrCat("ws1/visualization/", file))),
              Bytes(dir_.Path(StrCat("ws0/visualization/", file))));
}

// The error names the owner of the memory, and the memory of the device.
TEST_F(DeviceJob, ThatNeedsMoreMemoryThanThereIsSaysForWhat) {
  const EmulatedMachine small(1, 1 << 20);
  JobProto job = Job("");
  job.mutable_neuralnet()->mutable_layer(0)->mutable_store_conf()->set_batchsize(0, 1200);
  // The layer's feature and its gradient alone take 9.2 MiB; "conv" has 0.6.
  job.mutable_neuralnet()->mutable_layer(4)->mutable_innerproduct_conf()->set_num_output(1000);
  try {
    Train(job, 1);
    FAIL() << "no error";
  } catch (const DeviceError& error) {
    const std::string text = error.what();
    const std::string begin = "features and gradients, most of them for layer \"fc\" (";
    EXPECT_EQ(text.rfind(begin, 0), 0) << text;
    EXPECT_NE(text.find(" bytes are wanted, "), std::string::npos) << text;
    EXPECT_NE(text.find(" are free"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace singa::device_job
