// Context: what a computation needs besides its tensors. Made by the worker, used by its thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "singa/base/api.h"
#include "singa/base/philox.h"
#include "singa/tensor/tensor.h"

namespace singa {

// What changes from step to step, in one place on the device: kernels read it by pointer, so a
// captured graph of kernels stays right.
struct StepState {
  int64_t step = 0;
  float loss_scale = 1;  // of all gradients, where Context::scales_losses
};

// What products of matrices and images on a GPU round their factors to; they are summed up in
// float32, and all else is computed and stored in float32, but for results of cuDNN's convolutions,
// which it rounds to 16 bits as their factors. TF32 keeps 10 of 23 bits of a fraction,
// bfloat16 7, float16 10 with exponents from -14 to 15.
enum class Precision : uint8_t { kFloat32, kTf32, kBFloat16, kFloat16 };

// Whether factors are of 16 bits.
constexpr bool IsHalf(Precision precision) { return precision >= Precision::kBFloat16; }

// `numbers` of the step that `state` has; null: of their own. On the host or in a kernel.
constexpr Philox InStep(Philox numbers, const StepState* state) {
  if (state) numbers.step = static_cast<uint32_t>(state->step);
  return numbers;
}

// One line of `singa check -v`: which kernel a layer got.
struct KernelChoice {
  std::string layer, slot, kernel;
};

class KernelTrace;
class Stream;
class ActivityMark;
struct Context;

// The workers that compute one batch together, as one of them sees them.
class SINGA_API GroupSum {
 public:
  virtual ~GroupSum() = default;
  // Replaces each of `values` by its sum over the workers of the group, which all call this with as
  // many values at the same place of their pass. Added in the workers' order: all get the same
  // bits. Throws Error where a worker is gone.
  virtual void Sum(std::span<double> values) = 0;
  // The same of values[n] where `ctx` computes, in the order of its work. Unless the workers'
  // devices add up among themselves the host does, which waits for the work before.
  virtual void SumInOrder(Context& ctx, double* values, int64_t n);

 private:
  Tensor seen_;  // pinned, of values that the host adds up
};

struct Context {
  Device device = Device::kCpu;  // whose kernels run
  // Not null: tensors lie in the memory of this stream's device, and work goes to it. With kCpu it
  // is an emulated one.
  Stream* stream = nullptr;
  // Of the same device: what comes from the host travels here, beside the work of `stream`.
  Stream* uploads = nullptr;
  int threads = 1;
  bool plain = false;                      // no vendor kernels
  Precision precision = Precision::kTf32;  // the host's own products are float32
  bool scales_losses = false;              // their gradients are times StepState::loss_scale
  uint64_t seed = 0;
  int worker_group = 0;  // of the job
  StepState* state = nullptr;
  const StepState* device_state = nullptr;  // what kernels read on a stream's device

  // Memory for one call of one layer: as many bytes as the largest Declare::Scratch.
  void* scratch = nullptr;

  // Where Prepare notes the kernels it chose; null: nobody asks.
  std::vector<KernelChoice>* choices = nullptr;
  std::string_view layer;  // whose Prepare runs

  GroupSum* group = nullptr;  // null: the worker computes the whole batch alone

  KernelTrace* trace = nullptr;  // where kernels that run are noted; null: nobody asks
  ActivityMark* mark = nullptr;  // where the worker says what it does; null: nobody asks

  // The same for what is computed on the host meanwhile.
  Context ForHost() const {
    Context host = *this;
    host.device = Device::kCpu;
    host.precision = Precision::kFloat32;
    host.stream = host.uploads = nullptr;
    host.device_state = nullptr;
    return host;
  }

  // The numbers of one purpose in this step; `purpose` is an undecorated layer or param name. Each
  // worker group has its own.
  Philox Random(std::string_view purpose) const {
    const uint64_t key = seed ^ static_cast<uint64_t>(worker_group) << 40;
    return {key, HashName(purpose), static_cast<uint32_t>(state->step)};
  }
};

}  // namespace singa
