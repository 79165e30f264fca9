// EmulatedMachine: while it lives, the machine has so many GPUs, and they are emulated.
#pragma once

#include "support/emulated_gpu.h"
#include "tensor/gpus.h"

namespace singa {

class EmulatedMachine {
 public:
  explicit EmulatedMachine(int gpus) {
    number() = gpus;
    before_ = SetGpuDriver({Count, Open, Versions});
  }
  ~EmulatedMachine() { SetGpuDriver(before_); }
  EmulatedMachine(const EmulatedMachine&) = delete;

 private:
  static int& number() {
    static int gpus;
    return gpus;
  }
  static int Count(std::string*) { return number(); }
  static std::unique_ptr<Gpu> Open(int) { return std::make_unique<EmulatedGpu>(); }
  static std::string Versions() { return "none"; }

  GpuDriver before_;
};

}  // namespace singa
