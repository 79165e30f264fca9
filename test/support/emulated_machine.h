// EmulatedMachine gives the machine `gpus` emulated GPUs while it lives.
#pragma once

#include <memory>
#include <string>

#include "support/emulated_gpu.h"
#include "support/emulated_group.h"
#include "support/emulated_stream.h"
#include "tensor/gpu/gpus.h"

namespace singa {

class EmulatedMachine {
 public:
  explicit EmulatedMachine(int gpus, int64_t bytes_of_each = EmulatedGpu::kReserved) {
    now() = {};
    now().gpus = gpus;
    now().bytes = bytes_of_each;
    SetModel("emulated", "1.0");
    before_ = SetGpuDriver({Count, Open, Identity, Capability, 80, Versions, Libraries, CanGroup,
                            NewEmulatedGroup, JoinEmulatedGroup});
  }
  ~EmulatedMachine() { SetGpuDriver(before_); }
  EmulatedMachine(const EmulatedMachine&) = delete;

  // Sets the faults of GPU 0 and of the other GPUs, for GPUs that are opened from now on.
  void SetFaults(const GpuFault& first, const GpuFault& others) {
    now().first = first;
    now().others = others;
  }
  void SetFault(const GpuFault& of_each) { SetFaults(of_each, of_each); }
  // Sets the capability of all GPUs, "9.0" as 90. At first it is that of an H100.
  void SetCapability(int capability) { now().capability = capability; }
  // Sets the name of the GPUs and the version of their driver.
  void SetModel(const std::string& model, const std::string& version) {
    EmulatedGpu::model = model;
    now().version = version;
  }
  // Sets whether GPUs can form groups. At first they can.
  void SetGroups(bool groups) { now().groups = groups; }

 private:
  struct Machine {
    int gpus = 0, capability = 90;
    bool groups = true;
    int64_t bytes = 0;
    GpuFault first, others;
    std::string version;
  };
  static Machine& now() {
    static Machine machine;
    return machine;
  }
  static int Count(std::string* why) {
    if (why) *why = "the emulated machine has none";
    return now().gpus;
  }
  static std::unique_ptr<Gpu> Open(int number) {
    auto gpu = std::make_unique<EmulatedGpu>(now().bytes);
    gpu->SetFault(number > 0 ? now().others : now().first);
    return gpu;
  }
  // All emulated machines have the same identity.
  static GpuIdentity Identity(int number) { return {static_cast<uint32_t>(number), 1, 2, 3}; }
  static int Capability(int) { return now().capability; }
  static std::string Versions() { return now().version; }
  // Returns two libraries. Only the first of them exists.
  static std::vector<GpuLibrary> Libraries() {
    static Library there("libm.so.6"), missing("libmissing.so.1");
    const auto version = [] { return int64_t{10203}; };
    return {{"there", &there, version}, {"missing", &missing, version}};
  }
  static bool CanGroup(std::string* why) {
    *why = "the emulated machine has no library for it";
    return now().groups;
  }

  GpuDriver before_;
};

}  // namespace singa
