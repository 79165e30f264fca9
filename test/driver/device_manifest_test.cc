// Tests the entries about devices in a job's checkpoint, and the use that a resume makes of them.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "support/driver/device_job.h"
#include "support/heard_log.h"

namespace singa::device_job {
namespace {

class DeviceManifest : public DeviceJob {
 protected:
  // Returns the manifest's "run" of the run with `gpus` GPUs.
  nlohmann::json Run(int gpus, int step = 12) const {
    const std::string step_folder = StrCat("/checkpoint/step", step);
    const std::string file = dir_.Path(StrCat("ws", gpus, step_folder, "/manifest.json"));
    return nlohmann::json::parse(Bytes(file)).at("run");
  }
  static bool HasWarned(const HeardLog& log, const std::string& name) {
    return log.Has(StrCat("warning: \"", name, "\" differs from the checkpoint"));
  }
};

TEST_F(DeviceManifest, SaysWhatHasComputed) {
  Train("", 1);
  const nlohmann::json run = Run(1);
  EXPECT_EQ(run.at("precision"), JobProto::Precision_Name(JobProto().precision()));
  EXPECT_EQ(run.at("gpus"), "emulated");
  EXPECT_EQ(run.at("updates"), "GPUs");
  EXPECT_EQ(run.at("CUDA"), "1.0");
  EXPECT_EQ(run.at("there"), "1.2.3");
  EXPECT_FALSE(run.contains("missing"));
}

TEST_F(DeviceManifest, SaysThatTheHostHasUpdated) {
  machine_.SetGroups(false);
  Train("nworkers_per_group: 2 nworkers_per_procs: 2", 2);
  EXPECT_EQ(Run(2).at("gpus"), "emulated");
  EXPECT_EQ(Run(2).at("updates"), "host");
}

TEST_F(DeviceManifest, OfAJobOnTheCpuSaysNothingOfDevices) {
  Train("", 0);
  for (const char* name : {"precision", "gpus", "updates", "CUDA", "there"})
    EXPECT_FALSE(Run(0).contains(name)) << name;
}

TEST_F(DeviceManifest, IsWhatAResumeIsComparedWith) {
  Train("", 1, false, 6);
  {
    const HeardLog log;
    Train("", 1, true, 8);
    for (const char* name : {"precision", "gpus", "updates", "CUDA", "there"})
      EXPECT_FALSE(HasWarned(log, name)) << name;
  }
  {
    machine_.SetModel("another", "1.0");
    const HeardLog log;
    Train("", 1, true, 10);
    EXPECT_TRUE(HasWarned(log, "gpus"));
    EXPECT_FALSE(HasWarned(log, "CUDA"));
  }
  {
    machine_.SetModel("another", "1.1");
    const HeardLog log;
    Train("", 1, true, 12);
    EXPECT_FALSE(HasWarned(log, "gpus"));
    EXPECT_TRUE(HasWarned(log, "CUDA"));
  }
  JobProto job = Job("");
  job.set_precision(JobProto::kFloat32);
  const HeardLog log;
  Train(job, 1, true, 14);
  EXPECT_TRUE(HasWarned(log, "precision"));
}

TEST_F(DeviceManifest, IsComparedWithAResumeOnTheCpu) {
  Train("", 1, false, 6);
  std::filesystem::copy(dir_.Path("ws1"), dir_.Path("ws0"),
                        std::filesystem::copy_options::recursive);
  const HeardLog log;
  Train("", 0, true);
  EXPECT_TRUE(HasWarned(log, "gpus"));
  EXPECT_TRUE(HasWarned(log, "updates"));
  EXPECT_FALSE(HasWarned(log, "threads"));
}

}  // namespace
}  // namespace singa::device_job
