// WorkerDevice is the GPU that a worker computes on, with its stream and the numbers of the step
// that kernels read.
#pragma once

#include <memory>

#include "singa/proto/job.pb.h"
#include "singa/tensor/context.h"
#include "singa/tensor/stream.h"

namespace singa {

class WorkerDevice {
 public:
  // Sets the device, the streams and the job's precision in `ctx`. It must outlive `ctx`. Throws
  // DeviceError.
  WorkerDevice(const JobProto& job, std::shared_ptr<Gpu> gpu, Context* ctx);

  Gpu& gpu() { return *gpu_; }
  // Makes room for `bytes` of numbers that kernels of a step read besides the StepState. One copy
  // sends both, since a copy takes longer than a small kernel. Sets the new place of the StepState
  // in `ctx`.
  void MakeRoom(int64_t bytes, Context* ctx);
  // Returns the memory for the numbers of the next step, once the last ones have left.
  void* NextNumbers();
  // Returns where kernels read the numbers.
  const void* numbers() const { return block_.as<char>() + sizeof(StepState); }
  // Sends the state and the numbers of a step before it, in the thread that computes the step.
  void Begin(const StepState& state);
  // Blocks until no work is under way, so that its memory may be freed. Errors are only logged.
  void Drain() noexcept;

 private:
  void AwaitSent();

  const std::shared_ptr<Gpu> gpu_;
  std::unique_ptr<Stream> stream_, uploads_;
  Tensor block_;                  // a StepState, and numbers
  std::shared_ptr<void> pinned_;  // as large as block_
  std::unique_ptr<Event> sent_;   // null: the copy is done
};

}  // namespace singa
