// Groups of GPUs in several processes, and what ends the wait for members that do not come. The
// GPUs are emulated.
#include "tensor/gpu_group.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "base/barrier.h"
#include "singa/base/error.h"
#include "support/emulated_machine.h"

namespace singa::gpu_group {
namespace {

class GpuGroupTest : public ::testing::Test {
 protected:
  // What member `member` of three gets where each adds 1 + its number.
  float Sum(const GpuGroupId& id, int member) {
    const GpuMember own = {id, 3, member, &stopped_, &patience_};
    const std::unique_ptr<Gpu> gpu = OpenGpu(0);
    const std::unique_ptr<GpuGroup> group = JoinGpuGroup(own, gpu.get());
    const std::unique_ptr<Stream> stream = gpu->NewStream();
    const auto host = gpu->AllocatePinned(sizeof(float)), values = gpu->Allocate(sizeof(float));
    *static_cast<float*>(host.get()) = static_cast<float>(1 + member);
    stream->Copy(host.get(), values.get(), sizeof(float));
    for (int i = 0; i < 2; ++i) group->Sum(static_cast<float*>(values.get()), 1, *stream);
    stream->Copy(values.get(), host.get(), sizeof(float));
    group->Await(*stream->Record());
    return *static_cast<float*>(host.get());
  }

  EmulatedMachine machine_{1};
  std::atomic<bool> stopped_{false};
  Patience patience_{std::chrono::seconds(30)};
};

TEST_F(GpuGroupTest, AddsUpOverProcesses) {
  const GpuGroupId id = NewGpuGroup();
  std::vector<pid_t> others;
  for (const int member : {1, 2}) {
    others.push_back(::fork());
    if (others.back() == 0) ::_exit(Sum(id, member) == 18 ? 0 : 1);
  }
  EXPECT_EQ(Sum(id, 0), 18);  // 1 + 2 + 3 of each
  for (const pid_t other : others) {
    int status = -1;
    ASSERT_EQ(::waitpid(other, &status, 0), other);
    EXPECT_EQ(status, 0);
  }
}

TEST_F(GpuGroupTest, NamesWhatDoesNotCome) {
  const Patience short_one(std::chrono::milliseconds(300));
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

TEST_F(GpuGroupTest, IsLeftWhenItIsTold) {
  std::thread teller([this] { stopped_ = true; });
  EXPECT_THROW(Sum(NewGpuGroup(), 0), Stopped);
  teller.join();
}

}  // namespace
}  // namespace singa::gpu_group
