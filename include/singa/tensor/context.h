// Context holds everything that a computation needs besides its tensors. A worker makes it, and
// only the worker's thread uses it.
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

// Values that change with each step. Kernels read them by a pointer to memory of their device, so a
// captured graph of kernels needs no new arguments.
struct StepState {
  int64_t step = 0;
  int32_t batch = 0, batches = 1;  // the batch of the step, from 0, and how many a step has
  float loss_scale = 1;            // factor of all gradients if Context::scales_losses

  // Returns the number of the batch in the job.
  constexpr int64_t batches_before() const { return step * batches + batch; }
};

// Type to which matrix products and convolutions on a GPU round their factors. Sums and all other
// computations are float32; only cuDNN also rounds the results of convolutions and attention to 16
// bits. TF32 keeps 10 of the 23 bits of a fraction, bfloat16 7, and float16 10 with exponents from
// -14 to 15.
enum class Precision : uint8_t { kFloat32, kTf32, kBFloat16, kFloat16 };

// Returns whether factors have 16 bits.
constexpr bool IsHalf(Precision precision) { return precision >= Precision::kBFloat16; }

// Returns `numbers` for the batch in `state`; if `state` is null, unchanged. Runs on the host or in
// a kernel.
constexpr Philox InStep(Philox numbers, const StepState* state) {
  if (state) numbers.step = static_cast<uint32_t>(state->batches_before());
  return numbers;
}

// One line of `singa check -v`: the kernel that a layer uses for a slot.
struct KernelChoice {
  std::string layer, slot, kernel;
};

class ConstantTensors;
class KernelTrace;
class Stream;
class ActivityMark;
class RegionExchange;
struct Context;

// GroupSum adds numbers up over the workers that compute one batch. Each worker has its own object.
class SINGA_API GroupSum {
 public:
  virtual ~GroupSum() = default;
  // Replaces each of `values` by its sum over the workers of the group. All workers must call it at
  // the same place of their pass, with equally many values. Numbers are added in the workers'
  // order, so all workers get the same bits. Throws Error if a worker is gone.
  virtual void Sum(std::span<double> values) = 0;
  // Does the same for values[n] in the memory of `ctx`'s device, in the order of its stream. If the
  // devices cannot add up among themselves, the host waits for the earlier work and adds up.
  virtual void SumInOrder(Context& ctx, double* values, int64_t n);

 private:
  Tensor seen_;  // pinned copy of the values that the host adds up
};

struct Context {
  Device device = Device::kCpu;  // device whose kernels run
  // If not null, tensors are in the memory of this stream's device, and work goes to the stream.
  // With `device` kCpu the stream's device is emulated.
  Stream* stream = nullptr;
  // Second stream of the same device, for copies from the host while `stream` computes.
  Stream* uploads = nullptr;
  int threads = 1;
  bool plain = false;                      // no vendor kernels
  Precision precision = Precision::kTf32;  // products on the host are always float32
  bool scales_losses = false;  // losses' gradients are multiplied by StepState::loss_scale
  uint64_t seed = 0;
  int worker_group = 0;  // number of the group in the job
  // Time steps of the sequence before this batch, in a net that computes one step a batch. Layers
  // with LayerProto.carried_steps keep so many.
  int64_t past = 0;
  StepState* state = nullptr;
  const StepState* device_state = nullptr;  // `state` for kernels; null: no stream

  // Scratch memory for one call of one layer, as large as the largest Declare::Scratch.
  void* scratch = nullptr;

  // List to which Prepare adds the kernels that it chose; null: not wanted.
  std::vector<KernelChoice>* choices = nullptr;
  std::string_view layer;  // layer whose Prepare runs

  GroupSum* group = nullptr;  // null: the worker computes the whole batch alone
  // Moves regions of features between the workers of the group; null: no layer is divided by units.
  RegionExchange* exchange = nullptr;

  // Not null: params keep their values, so layers may keep here what they compute from them.
  ConstantTensors* constant = nullptr;

  KernelTrace* trace = nullptr;  // records the kernels that run; null: not wanted
  ActivityMark* mark = nullptr;  // shows what the worker does now; null: not wanted

  // Returns a copy of this context for computations on the host.
  Context ForHost() const {
    Context host = *this;
    host.device = Device::kCpu;
    host.precision = Precision::kFloat32;
    host.stream = host.uploads = nullptr;
    host.device_state = nullptr;
    return host;
  }

  // Returns the random numbers of one purpose in this batch; `purpose` is an undecorated layer or
  // param name. Each worker group gets other numbers.
  Philox Random(std::string_view purpose) const {
    const uint64_t key = seed ^ static_cast<uint64_t>(worker_group) << 40;
    return {key, HashName(purpose), static_cast<uint32_t>(state->batches_before())};
  }
};

}  // namespace singa
