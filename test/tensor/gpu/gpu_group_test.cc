// Tests groups of GPUs, in one process or several, and the ends of waits for members that do not
// come. The GPUs are emulated ones, and all of the machine.
#include "tensor/gpu/gpu_group.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <barrier>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "base/thread/stopped.h"
#include "singa/base/error.h"
#include "support/emulated_machine.h"
#include "support/test_device.h"

namespace singa::gpu_group {
namespace {

// Cell holds a member's number, and the sum afterwards.
template <typename T>
struct Cell {
  Cell(Gpu* gpu, T x) : host_(gpu->AllocatePinned(sizeof(T))), gpu_(gpu->Allocate(sizeof(T))) {
    *host() = x;
  }
  void Sum(GpuGroup* group, Stream* stream) {
    stream->Copy(host_.get(), gpu_.get(), sizeof(T));
    for (int i = 0; i < 2; ++i) group->Sum(static_cast<T*>(gpu_.get()), 1, *stream);
    stream->Copy(gpu_.get(), host_.get(), sizeof(T));
  }
  T* host() { return static_cast<T*>(host_.get()); }

 private:
  const std::shared_ptr<void> host_, gpu_;
};

class GpuGroupTest : public ::testing::TestWithParam<TestPlace> {
 protected:
  void SetUp() override {
    if (GetParam() == TestPlace::kEmulated) machine_.emplace(3);
    std::string why;
    if (!CanGroupGpus(&why)) GTEST_SKIP() << why;
    members_ = CountGpus();
  }

  GpuMember Member(const GpuGroupId& id, int member, int members) const {
    return {id, members, member, &stopped_, &deadline_};
  }
  // Returns the result of member `member` if each adds 1 + its number, and then all sum up the
  // sums. Memory is allocated before the group: an allocation may wait for the work of other GPUs,
  // which waits for this one.
  float Sum(const GpuGroupId& id, int member, int members) {
    const std::unique_ptr<Gpu> gpu = OpenGpu(member);
    const std::unique_ptr<Stream> stream = gpu->NewStream();
    Cell<float> cell(gpu.get(), static_cast<float>(1 + member));
    const auto group = JoinGpuGroup(Member(id, member, members), gpu.get());
    cell.Sum(group.get(), stream.get());
    group->Await(*stream->Record());
    return *cell.host();
  }
  // Does this in float64, by work that is captured and then replayed with other numbers.
  double SumByReplay(const GpuGroupId& id, int member, std::barrier<>* captured) {
    const std::unique_ptr<Gpu> gpu = OpenGpu(member);
    const std::unique_ptr<Stream> stream = gpu->NewStream();
    Cell<double> cell(gpu.get(), 5);
    const auto group = JoinGpuGroup(Member(id, member, members_), gpu.get());
    cell.Sum(group.get(), stream.get());
    group->Await(*stream->Record());
    stream->BeginCapture();
    cell.Sum(group.get(), stream.get());
    const std::unique_ptr<CapturedWork> work = stream->EndCapture();
    captured->arrive_and_wait();
    *cell.host() = 1 + member;
    stream->Replay(*work);
    group->Await(*stream->Record());
    return *cell.host();
  }
  // Each member sends the next one large numbers, and returns the last that it gets.
  float PassOn(const GpuGroupId& id, int member) {
    constexpr int64_t kFloats = 400'000, kBytes = kFloats * sizeof(float);
    const std::unique_ptr<Gpu> gpu = OpenGpu(member);
    const std::unique_ptr<Stream> stream = gpu->NewStream();
    const auto host = gpu->AllocatePinned(kBytes);
    const std::span numbers(static_cast<float*>(host.get()), kFloats);
    std::ranges::fill(numbers, static_cast<float>(member));
    const auto sent = gpu->Allocate(kBytes), received = gpu->Allocate(kBytes);
    stream->Copy(numbers.data(), sent.get(), kBytes);
    const auto group = JoinGpuGroup(Member(id, member, members_), gpu.get());
    const std::vector<GpuTransfer> both = {
        {(member + 1) % members_, true, static_cast<std::byte*>(sent.get()), kBytes},
        {(member + members_ - 1) % members_, false, static_cast<std::byte*>(received.get()),
         kBytes}};
    group->Exchange(both, *stream);
    stream->Copy(received.get(), numbers.data(), kBytes);
    group->Await(*stream->Record());
    return numbers.back();
  }
  static double Expected(int members) { return members * members * (members + 1) / 2; }

  std::optional<EmulatedMachine> machine_;
  int members_ = 0;  // number of GPUs
  std::atomic<bool> stopped_{false};
  ProgressDeadline deadline_{std::chrono::seconds(30)};
};
SINGA_TEST_ON_ALL_GPUS(GpuGroupTest);

TEST_P(GpuGroupTest, AddsUpOverThreads) {
  const GpuGroupId id = NewGpuGroup();
  std::vector<float> sums(members_);
  std::vector<std::jthread> others;
  for (int member = 1; member < members_; ++member)
    others.emplace_back([&, member] { sums[member] = Sum(id, member, members_); });
  sums[0] = Sum(id, 0, members_);
  others.clear();
  EXPECT_EQ(sums, std::vector<float>(members_, static_cast<float>(Expected(members_))));
}

TEST_P(GpuGroupTest, AddsUpInReplayedWork) {
  const GpuGroupId id = NewGpuGroup();
  std::barrier<> captured(members_);
  std::vector<double> sums(members_);
  std::vector<std::jthread> others;
  for (int member = 1; member < members_; ++member)
    others.emplace_back([&, member] { sums[member] = SumByReplay(id, member, &captured); });
  sums[0] = SumByReplay(id, 0, &captured);
  others.clear();
  EXPECT_EQ(sums, std::vector<double>(members_, Expected(members_)));
}

TEST_P(GpuGroupTest, MembersExchangeLargeMessages) {
  const GpuGroupId id = NewGpuGroup();
  std::vector<float> got(members_);
  {
    std::vector<std::jthread> all;
    for (int member = 0; member < members_; ++member)
      all.emplace_back([&, member] { got[member] = PassOn(id, member); });
  }
  for (int member = 0; member < members_; ++member)
    EXPECT_EQ(got[member], static_cast<float>((member + members_ - 1) % members_));
}

// These tests use emulated GPUs alone: a process that has used CUDA must not fork.
class GpuGroupOfProcesses : public GpuGroupTest {};
INSTANTIATE_TEST_SUITE_P(Gpus, GpuGroupOfProcesses, ::testing::Values(TestPlace::kEmulated),
                         PlaceName);

TEST_P(GpuGroupOfProcesses, AddsUp) {
  const GpuGroupId id = NewGpuGroup();
  std::vector<pid_t> others;
  for (const int member : {1, 2}) {
    others.push_back(::fork());
    if (others.back() == 0) ::_exit(Sum(id, member, 3) == 18 ? 0 : 1);
  }
  EXPECT_EQ(Sum(id, 0, 3), 18);  // 1 + 2 + 3 of each
  for (const pid_t other : others) {
    int status = -1;
    ASSERT_EQ(::waitpid(other, &status, 0), other);
    EXPECT_EQ(status, 0);
  }
}

TEST_P(GpuGroupTest, NamesWhatDoesNotCome) {
  const ProgressDeadline short_one(std::chrono::milliseconds(300));
  const std::unique_ptr<Gpu> gpu = OpenGpu(0);
  const GpuMember lonely = {NewGpuGroup(), 2, 1, &stopped_, &short_one};
  try {
    JoinGpuGroup(lonely, gpu.get());
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), kExitStalled);
    EXPECT_STREQ(error.what(),
                 "worker 1 of the group waits in vain: the communicator of the 2 workers' GPUs has "
                 "not come for 0 s");
  }
}

TEST_P(GpuGroupTest, IsLeftWhenItIsTold) {
  std::jthread teller([this] { stopped_ = true; });
  EXPECT_THROW(Sum(NewGpuGroup(), 0, 3), Stopped);
}

}  // namespace
}  // namespace singa::gpu_group
