// WorkerDevice: the GPU that a worker computes on: its stream, and what kernels read of the step.
#pragma once

#include <memory>

#include "singa/proto/job.pb.h"
#include "singa/tensor/context.h"
#include "singa/tensor/stream.h"

namespace singa {

class WorkerDevice {
 public:
  // `ctx` is told of `gpu`, and of the job's precision there; it outlives `ctx`. Throws
  // DeviceError.
  WorkerDevice(const JobProto& job, std::shared_ptr<Gpu> gpu, Context* ctx);

  Gpu& gpu() { return *gpu_; }
  // Before a step: in the thread that computes it.
  void Begin(const StepState& state);
  // Until nothing is under way, so that memory which it uses may go. Faults are not told.
  void Drain() noexcept;

 private:
  const std::shared_ptr<Gpu> gpu_;
  std::unique_ptr<Stream> stream_, uploads_;
  Tensor device_state_;
  std::shared_ptr<void> pinned_state_;
  std::unique_ptr<Event> sent_;  // the state
};

}  // namespace singa
