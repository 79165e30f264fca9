#include "train/device/worker_device.h"

#include <glog/logging.h>

#include <cstring>
#include <exception>
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
    : gpu_(std::move(gpu)), stream_(gpu_->NewStream()), uploads_(gpu_->NewStream()) {
  stream_->ReserveWorkspace();
  ctx->device = gpu_->kernels();
  ctx->precision = PrecisionOf(job);
  ctx->stream = stream_.get();
  ctx->uploads = uploads_.get();
  MakeRoom(0, ctx);
}

void WorkerDevice::MakeRoom(int64_t bytes, Context* ctx) {
  block_ = Allocate(*ctx, {static_cast<int64_t>(sizeof(StepState)) + bytes}, DType::kU8);
  pinned_ = gpu_->AllocatePinned(block_.bytes());
  ctx->device_state = block_.as<StepState>();
}

void WorkerDevice::AwaitSent() {
  if (const auto sent = std::move(sent_)) sent->Wait();
}

void* WorkerDevice::NextNumbers() {
  AwaitSent();
  return static_cast<char*>(pinned_.get()) + sizeof(StepState);
}

void WorkerDevice::Begin(const StepState& state) {
  gpu_->Use();
  AwaitSent();
  std::memcpy(pinned_.get(), &state, sizeof(StepState));
  stream_->Copy(pinned_.get(), block_.as<void>(), block_.bytes());
  sent_ = stream_->Record();
}

void WorkerDevice::Drain() noexcept {
  try {
    uploads_->Wait();
    stream_->Wait();
  } catch (const std::exception& error) {
    VLOG(1) << "work of a GPU that nobody needs any more: " << error.what();
  }
}

}  // namespace singa
