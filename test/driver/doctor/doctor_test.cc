#include "driver/doctor/doctor_command.h"

#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "singa/base/error.h"
#include "support/emulated_machine.h"
#include "tensor/gpu/gpu_libraries.h"

namespace singa::doctor {
namespace {

const Findings kFound = {{"cores", "2"},
                         {"a disk", "full", Finding::kWarn, "empty it"},
                         {"memory", "none", Finding::kFail, "buy \"some\""}};

TEST(Doctor, ShowsALineEach) {
  EXPECT_EQ(DoctorText(kFound),
            "ok    cores   2\n"
            "warn  a disk  full\n"
            "      -> empty it\n"
            "FAIL  memory  none\n"
            "      -> buy \"some\"\n"
            "No job can run here.\n");
  EXPECT_EQ(DoctorText({kFound[0]}), "ok    cores  2\nA job can run here.\n");
}

TEST(Doctor, SaysTheSameInJson) {
  const auto report = nlohmann::json::parse(DoctorJson(kFound));
  EXPECT_EQ(report["ok"], false);
  EXPECT_EQ(report["checks"][0],
            (nlohmann::json{{"name", "cores"}, {"status", "ok"}, {"value", "2"}}));
  EXPECT_EQ(report["checks"][2]["status"], "fail");
  EXPECT_EQ(report["checks"][2]["advice"], "buy \"some\"");
}

TEST(Doctor, ShowsSizesInTheirUnit) {
  EXPECT_EQ(SizeText(1000), "1000 B");
  EXPECT_EQ(SizeText(int64_t{3} << 29), "1.5 GiB");
}

// The machine has two libraries of its own: one exists and one is missing.
class DoctorOfGpus : public ::testing::Test {
 protected:
  static Finding Find(const std::string& name) {
    Findings found;
    FindGpus(&found);
    for (const Finding& finding : found)
      if (finding.name == name) return finding;
    return {"", ""};
  }
  static int64_t Version() { return 130002; }
  static std::vector<GpuLibrary> Libraries() {
    return {{"there", &there_, Version}, {"missing", &missing_, Version}};
  }
  // Gives these libraries to the emulated machine.
  static void SetLibraries() {
    GpuDriver driver = SetGpuDriver({});
    driver.libraries = Libraries;
    SetGpuDriver(driver);
  }

  static inline Library there_{"libc.so.6"}, missing_{"libmissing.so.1"};
};

TEST_F(DoctorOfGpus, ShowsVersionsOfLibraries) {
  const EmulatedMachine machine(1);
  SetLibraries();
  EXPECT_EQ(Find("there").value, "13.0.2");
  EXPECT_EQ(Find("there").status, Finding::kOk);
}

TEST_F(DoctorOfGpus, WarnsOfWhatAGpuMisses) {
  const EmulatedMachine machine(1);
  SetLibraries();
  const Finding missing = Find("missing");
  EXPECT_NE(missing.value.find("libmissing.so.1: cannot open"), std::string::npos) << missing.value;
  EXPECT_EQ(missing.status, Finding::kWarn);
  EXPECT_FALSE(missing.advice.empty());
}

TEST_F(DoctorOfGpus, ShowsLibrariesWithoutAGpuAndDoesNotWarn) {
  const EmulatedMachine machine(0);
  SetLibraries();
  EXPECT_EQ(Find("there").value, "13.0.2");
  EXPECT_EQ(Find("missing").status, Finding::kOk);
}

TEST_F(DoctorOfGpus, SaysNothingOfLibrariesInABuildWithoutThem) {
  const GpuDriver before = SetGpuDriver({});
  EXPECT_EQ(Find("there").name, "");
  EXPECT_EQ(Find("CUDA").name, "");
  SetGpuDriver(before);
}

TEST_F(DoctorOfGpus, WarnsOfAGpuThatCannotBeOpenedAndGoesOn) {
  const EmulatedMachine machine(2);
  GpuDriver driver = SetGpuDriver({});
  driver.open = [](int number) -> std::unique_ptr<Gpu> {
    if (number == 0) throw DeviceError("GPU 0 is taken");
    return std::make_unique<EmulatedGpu>();
  };
  SetGpuDriver(driver);
  const Finding taken = Find("GPU 0"), free = Find("GPU 1");
  EXPECT_EQ(taken.value, "GPU 0 is taken");
  EXPECT_EQ(taken.status, Finding::kWarn);
  EXPECT_FALSE(taken.advice.empty());
  EXPECT_EQ(free.value, "emulated, compute capability 9.0, 4.0 GiB of 4.0 GiB free");
  EXPECT_EQ(free.status, Finding::kOk);
}

TEST_F(DoctorOfGpus, AddsUpByNccl) {
  const EmulatedMachine machine(3);
  EXPECT_EQ(Find("kNccl").value, "the sum over 3 GPUs is right");
  EXPECT_EQ(Find("kNccl").status, Finding::kOk);
}

TEST_F(DoctorOfGpus, SaysWhyGpusAddNothingUp) {
  EmulatedMachine machine(1);
  machine.SetGroups(false);
  const Finding finding = Find("kNccl");
  EXPECT_EQ(finding.value, "no sum over 1 GPU: the emulated machine has no library for it");
  EXPECT_EQ(finding.status, Finding::kWarn);
  EXPECT_FALSE(finding.advice.empty());
  machine.SetGroups(true);
  machine.SetFault(GpuFault(GpuFault::kLost, 0));
  EXPECT_EQ(Find("kNccl").value, "no sum over 1 GPU: the emulated GPU is lost");
}

TEST_F(DoctorOfGpus, SaysNothingOfSumsWithoutAGpu) {
  const EmulatedMachine machine(0);
  EXPECT_EQ(Find("kNccl").name, "");
}

TEST_F(DoctorOfGpus, WarnsOfAGpuThatTheBuildHasNoKernelsFor) {
  EmulatedMachine machine(1);
  machine.SetCapability(75);
  const Finding old = Find("GPU 0");
  EXPECT_EQ(old.value,
            "GPU 0 has compute capability 7.5; this build has kernels for 8.0 and newer");
  EXPECT_EQ(old.status, Finding::kWarn);
  EXPECT_FALSE(old.advice.empty());
}

}  // namespace
}  // namespace singa::doctor
