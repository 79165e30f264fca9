#include "train/device/worker_device.h"

#include <cstring>

#include "singa/base/error.h"
#include "singa/tensor/memory.h"
#include "tensor/gpus.h"

namespace singa {

WorkerDevice::WorkerDevice(int number, Context* ctx)
    : gpu_(OpenGpu(number)),
      stream_(gpu_->NewStream()),
      uploads_(gpu_->NewStream()),
      pinned_state_(gpu_->AllocatePinned(sizeof(StepState))) {
  ctx->device = gpu_->kernels();
  ctx->stream = stream_.get();
  ctx->uploads = uploads_.get();
  device_state_ = Allocate(*ctx, {static_cast<int64_t>(sizeof(StepState))}, DType::kU8);
  ctx->device_state = device_state_.as<StepState>();
}

void WorkerDevice::Begin(const StepState& state) {
  gpu_->Use();
  if (sent_) sent_->Wait();
  std::memcpy(pinned_state_.get(), &state, sizeof(StepState));
  stream_->Copy(pinned_state_.get(), device_state_.as<StepState>(), sizeof(StepState));
  sent_ = stream_->Record();
}

void WorkerDevice::Drain() noexcept {
  try {
    uploads_->Wait();
    stream_->Wait();
  } catch (...) {
  }
}

}  // namespace singa
