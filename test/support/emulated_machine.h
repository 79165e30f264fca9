// EmulatedMachine: while it lives, the machine has so many GPUs, and they are emulated.
#pragma once

#include <limits>
#include <memory>
#include <string>

#include "support/emulated_gpu.h"
#include "support/emulated_group.h"
#include "tensor/gpus.h"

namespace singa {

class EmulatedMachine {
 public:
  explicit EmulatedMachine(int gpus, int64_t bytes_of_each = EmulatedGpu::kReserved) {
    now() = {};
    now().gpus = gpus;
    now().bytes = bytes_of_each;
    before_ = SetGpuDriver({Count, Open, Identity, Capability, 80, Versions, Libraries, CanGroup,
                            NewEmulatedGroup, JoinEmulatedGroup});
  }
  ~EmulatedMachine() { SetGpuDriver(before_); }
  EmulatedMachine(const EmulatedMachine&) = delete;

  // GPUs that are used from now on are lost after so many pieces of work.
  void LoseAfter(int64_t works) { now().works = works; }
  // GPU 0 is lost then, and the others stand still.
  void BreakAfter(int64_t works) {
    LoseAfter(works);
    now().others_stand_still = true;
  }
  // "9.0" as 90: of all of them; that of an H100 at first.
  void SetCapability(int capability) { now().capability = capability; }
  // Whether GPUs can form groups; they can at first.
  void SetGroups(bool groups) { now().groups = groups; }

 private:
  struct Machine {
    int gpus = 0, capability = 90;
    bool groups = true, others_stand_still = false;
    int64_t bytes = 0, works = std::numeric_limits<int64_t>::max();
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
    if (number > 0 && now().others_stand_still)
      gpu->StandStillAfterLoss();
    else
      gpu->LoseAfter(now().works);
    return gpu;
  }
  // All emulated machines are one.
  static GpuIdentity Identity(int number) { return {static_cast<uint32_t>(number), 1, 2, 3}; }
  static int Capability(int) { return now().capability; }
  static std::string Versions() { return "none"; }
  static std::vector<GpuLibrary> Libraries() { return {}; }
  static bool CanGroup(std::string* why) {
    *why = "the emulated machine has no library for it";
    return now().groups;
  }

  GpuDriver before_;
};

}  // namespace singa
