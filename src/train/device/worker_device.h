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
  // Kernels of a step read `bytes` besides its StepState: numbers, which go with it in one copy, as
  // each takes longer than a small kernel. `ctx` is told anew where the StepState is.
  void MakeRoom(int64_t bytes, Context* ctx);
  // For the host to write those of the next step: the last ones have left.
  void* NextNumbers();
  // Where kernels read them.
  const void* numbers() const { return block_.as<char>() + sizeof(StepState); }
  // Before a step: in the thread that computes it.
  void Begin(const StepState& state);
  // Until nothing is under way, so that memory which it uses may go. Faults are logged alone.
  void Drain() noexcept;

 private:
  void AwaitSent();

  const std::shared_ptr<Gpu> gpu_;
  std::unique_ptr<Stream> stream_, uploads_;
  Tensor block_;                  // a StepState, and numbers
  std::shared_ptr<void> pinned_;  // as block_
  std::unique_ptr<Event> sent_;   // null: it has left
};

}  // namespace singa
