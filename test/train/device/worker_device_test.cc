// Tests the GPU of a worker, and the numbers of a step that its kernels read. The GPU is emulated:
// it does its work only when the host waits for it.
#include "train/device/worker_device.h"

#include <gtest/gtest.h>

#include <cstring>

#include "singa/base/error.h"
#include "support/device_memory.h"
#include "support/emulated_stream.h"

namespace singa {
namespace {

JobProto JobWithPrecision(JobProto::Precision precision) {
  JobProto job;
  job.set_precision(precision);
  return job;
}

class WorkerDeviceTest : public ::testing::Test {
 protected:
  // Has the device keep the step that its kernels see, and returns where.
  Tensor KeepStep() {
    Tensor kept = Allocate(ctx_, {8}, DType::kU8);
    ctx_.stream->Copy(&ctx_.device_state->step, kept.as<void>(), sizeof(int64_t));
    return kept;
  }
  int64_t Kept(const Tensor& kept) { return DeviceMemory(&ctx_).Read<int64_t>(kept)[0]; }
  int32_t NumberOnDevice() {
    Tensor number = Allocate(ctx_, {1});
    ctx_.stream->Copy(device_.numbers(), number.as<void>(), sizeof(int32_t));
    return DeviceMemory(&ctx_).Read<int32_t>(number)[0];
  }

  const std::shared_ptr<EmulatedGpu> gpu_ = std::make_shared<EmulatedGpu>();
  Context ctx_;
  WorkerDevice device_{JobProto(), gpu_, &ctx_};
};

TEST_F(WorkerDeviceTest, AContextComputesOnItsGpu) {
  EXPECT_EQ(&device_.gpu(), gpu_.get());
  EXPECT_EQ(&ctx_.stream->gpu(), gpu_.get());
  EXPECT_EQ(&ctx_.uploads->gpu(), gpu_.get());
  EXPECT_NE(ctx_.stream, ctx_.uploads) << "copies and kernels do not wait for each other";
}

TEST_F(WorkerDeviceTest, AContextHasThePrecisionOfTheJob) {
  const auto precision = [this](JobProto::Precision of_job) {
    Context ctx;
    const WorkerDevice device(JobWithPrecision(of_job), gpu_, &ctx);
    return ctx.precision;
  };
  EXPECT_EQ(precision(JobProto::kFloat32), Precision::kFloat32);
  EXPECT_EQ(precision(JobProto::kTF32), Precision::kTf32);
  EXPECT_EQ(precision(JobProto::kBFloat16), Precision::kBFloat16);
  EXPECT_EQ(precision(JobProto::kFloat16), Precision::kFloat16);
}

TEST_F(WorkerDeviceTest, KernelsSeeTheStepThatBegan) {
  device_.Begin({.step = 17});
  EXPECT_EQ(Kept(KeepStep()), 17);
}

// Nothing of step 1 has left the host's memory when step 2 begins.
TEST_F(WorkerDeviceTest, AStepKeepsItsStateWhileTheNextOneIsHandedOut) {
  device_.Begin({.step = 1});
  const Tensor first = KeepStep();
  device_.Begin({.step = 2});
  const Tensor second = KeepStep();
  EXPECT_EQ(Kept(first), 1);
  EXPECT_EQ(Kept(second), 2);
}

TEST_F(WorkerDeviceTest, NumbersAreSentWithTheState) {
  device_.MakeRoom(sizeof(int32_t), &ctx_);
  const int32_t number = 42;
  std::memcpy(device_.NextNumbers(), &number, sizeof number);
  device_.Begin({.step = 17});
  EXPECT_EQ(NumberOnDevice(), 42);
  EXPECT_EQ(Kept(KeepStep()), 17) << "the state has a new place";
}

TEST_F(WorkerDeviceTest, NumbersOfTheNextStepDoNotReplaceThoseThatLeave) {
  device_.MakeRoom(sizeof(int32_t), &ctx_);
  int32_t number = 42;
  std::memcpy(device_.NextNumbers(), &number, sizeof number);
  device_.Begin({});
  number = 43;
  std::memcpy(device_.NextNumbers(), &number, sizeof number);
  EXPECT_EQ(NumberOnDevice(), 42);
}

TEST_F(WorkerDeviceTest, ADrainedDeviceHasNoWorkUnderWay) {
  bool computed = false, copied = false;
  ctx_.stream->Run([&] { computed = true; });
  ctx_.uploads->Run([&] { copied = true; });
  device_.Drain();
  EXPECT_TRUE(computed);
  EXPECT_TRUE(copied);
}

TEST_F(WorkerDeviceTest, ALostDeviceIsDrainedWithoutAnError) {
  gpu_->SetFault({GpuFault::kLost, 0});
  ctx_.stream->Run([] {});
  EXPECT_NO_THROW(device_.Drain());
}

TEST_F(WorkerDeviceTest, ALostDeviceEndsTheNextStep) {
  device_.Begin({.step = 1});
  gpu_->SetFault({GpuFault::kLost, 0});
  EXPECT_THROW(device_.Begin({.step = 2}), DeviceError);
}

}  // namespace
}  // namespace singa
