#include "train/device/worker_device.h"

#include <cstring>
#include <utility>

#include "singa/base/error.h"
#include "singa/tensor/memory.h"

namespace singa {
namespace {

Precision PrecisionOf(const JobProto& job) {
  switch (job.precision()) {
    case JobProto::kFloat32:
      return Precision::kFloat32;
    case JobProto::kTF32:
      return Precision::kTf32;
    case JobProto::kBFloat16:
      return Precision::kBFloat16;
    case JobProto::kFloat16:
      return Precision::kFloat16;
  }
  return Precision::kTf32;
}

}  // namespace

WorkerDevice::WorkerDevice(const JobProto& job, std::shared_ptr<Gpu> gpu, Context* ctx)
    : gpu_(std::move(gpu)),
      stream_(gpu_->NewStream()),
      uploads_(gpu_->NewStream()),
      pinned_state_(gpu_->AllocatePinned(sizeof(StepState))) {
  stream_->ReserveWorkspace();
  ctx->device = gpu_->kernels();
  ctx->precision = PrecisionOf(job);
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
