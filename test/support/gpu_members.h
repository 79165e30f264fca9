// GpuMembersTest runs the members of a group of GPUs, each in a thread of its own: on emulated
// GPUs, or on the machine's where it has enough of them.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "support/device_memory.h"
#include "support/emulated_machine.h"
#include "support/test_device.h"
#include "tensor/gpu/gpu_group.h"
#include "train/device/group_member.h"

namespace singa {

// One member: its GPU, and a context that computes there.
class MemberOfGpus {
 public:
  explicit MemberOfGpus(const GpuMember& of)
      : member(of),
        gpu(OpenGpu(of.member)),
        stream(gpu->NewStream()),
        transfers(gpu->NewStream()),
        group(JoinGpuGroup(of, gpu.get())) {
    ctx.device = gpu->kernels();
    ctx.stream = stream.get();
  }

  int number() const { return member.member; }
  // Returns what sums of the group need.
  GroupMember InGroup() {
    return {
        .group = group.get(), .number = member, .ctx = &ctx, .stream = transfers.get(), .meet = [] {
        }};
  }
  // Returns the values as a tensor of the GPU, and the other way round.
  Tensor On(const std::vector<float>& values) const {
    Tensor tensor = memory.Allocate({static_cast<int64_t>(values.size())});
    memory.Write(values.data(), &tensor);
    return tensor;
  }
  std::vector<float> Read(const Tensor& tensor) const { return memory.Read(tensor); }

  const GpuMember member;
  const std::shared_ptr<Gpu> gpu;
  const std::unique_ptr<Stream> stream, transfers;
  const std::unique_ptr<GpuGroup> group;
  Context ctx;
  const DeviceMemory memory{&ctx};
};

class GpuMembersTest : public ::testing::TestWithParam<TestPlace> {
 protected:
  static constexpr int kMost = 5;

  void SetUp() override {
    if (GetParam() == TestPlace::kEmulated) machine_.emplace(kMost);
    std::string why;
    if (!CanGroupGpus(&why)) GTEST_SKIP() << why;
  }
  // Calls run(member) for each of so many members, in threads of their own.
  void RunAll(int members, const std::function<void(MemberOfGpus&)>& run) {
    if (CountGpus() < members) GTEST_SKIP() << "needs " << members << " GPUs";
    const GpuGroupId id = NewGpuGroup();
    std::vector<std::jthread> threads;
    for (int number = 0; number < members; ++number)
      threads.emplace_back([&, number] {
        MemberOfGpus member({.id = id,
                             .members = members,
                             .member = number,
                             .stopped = &stopped_,
                             .deadline = &deadline_});
        run(member);
      });
  }

 private:
  std::optional<EmulatedMachine> machine_;
  std::atomic<bool> stopped_{false};
  ProgressDeadline deadline_{std::chrono::seconds(30)};
};

}  // namespace singa
