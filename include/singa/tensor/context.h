// Context: what a computation needs besides its tensors. Made by the worker, used by its thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "singa/base/philox.h"
#include "singa/tensor/tensor.h"

namespace singa {

// What changes from step to step, in one place on the device: kernels read it by pointer, so a
// captured graph of kernels stays right.
struct StepState {
  int64_t step = 0;
};

// One line of `singa check -v`: which kernel a layer got.
struct KernelChoice {
  std::string layer, slot, kernel;
};

class KernelTrace;

struct Context {
  Device device = Device::kCpu;
  int threads = 1;
  bool plain = false;  // no vendor kernels
  uint64_t seed = 0;
  StepState* state = nullptr;

  // Memory for one call of one layer: as many bytes as the largest Declare::Scratch.
  void* scratch = nullptr;

  // Where Prepare notes the kernels it chose; null: nobody asks.
  std::vector<KernelChoice>* choices = nullptr;
  std::string_view layer;  // whose Prepare runs

  KernelTrace* trace = nullptr;  // where kernels that run are noted; null: nobody asks

  // The numbers of one purpose in this step; `purpose` is an undecorated layer or param name.
  Philox Random(std::string_view purpose) const {
    return {seed, HashName(purpose), static_cast<uint32_t>(state->step)};
  }
};

}  // namespace singa
