// Tests operations of ranks on GPUs: on emulated ones, and on those of the machine.
#include "comm/collective/gpu_collective.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <thread>

#include "singa/base/error.h"
#include "support/device_memory.h"
#include "support/emulated_machine.h"
#include "support/test_device.h"
#include "tensor/gpu/gpus.h"

namespace singa {
namespace {

// GpuRank is one rank, with memory of its GPU.
struct GpuRank {
  explicit GpuRank(const GpuMember& member)
      : gpu(OpenGpu(member.member)),
        stream(gpu->NewStream()),
        group(JoinGpuGroup(member, gpu.get())),
        own(group.get(), member.member, member.members, stream.get()) {
    ctx.device = gpu->kernels();
    ctx.stream = stream.get();
  }
  Tensor On(const std::vector<float>& values) {
    Tensor tensor = memory.Allocate({std::ssize(values)});
    memory.Write(values.data(), &tensor);
    return tensor;
  }
  std::vector<float> Read(const Tensor& tensor) { return memory.Read(tensor); }

  const std::shared_ptr<Gpu> gpu;
  const std::unique_ptr<Stream> stream;
  const std::unique_ptr<GpuGroup> group;
  GpuCollective own;
  Context ctx;
  DeviceMemory memory{&ctx};
};

std::span<float> FloatsIn(const Tensor& tensor) {
  return {const_cast<float*>(tensor.data()), static_cast<size_t>(tensor.size())};
}
std::span<std::byte> BytesIn(const Tensor& tensor) {
  return std::as_writable_bytes(FloatsIn(tensor));
}

class GpuCollectiveTest : public ::testing::TestWithParam<TestPlace> {
 protected:
  void SetUp() override {
    if (GetParam() == TestPlace::kEmulated) machine_.emplace(3);
    std::string why;
    if (!CanGroupGpus(&why)) GTEST_SKIP() << why;
  }
  // Runs `work` on each of the machine's GPUs.
  void Run(const std::function<void(GpuRank&)>& work) {
    const GpuGroupId id = NewGpuGroup();
    const int ranks = CountGpus();
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; ++rank)
      threads.emplace_back([&, rank] {
        GpuRank one({.id = id, .members = ranks, .member = rank, .stopped = &stopped_});
        work(one);
        one.own.Await(0);
      });
    for (std::thread& thread : threads) thread.join();
  }

 private:
  std::optional<EmulatedMachine> machine_;
  std::atomic<bool> stopped_{false};
};
INSTANTIATE_TEST_SUITE_P(Places, GpuCollectiveTest, ::testing::ValuesIn(GpuPlaces()), PlaceName);

TEST_P(GpuCollectiveTest, AllReduceAddsUp) {
  Run([](GpuRank& one) {
    const auto rank = static_cast<float>(one.own.rank()),
               ranks = static_cast<float>(one.own.size());
    const Tensor values = one.On({1 + rank, 10});
    one.own.AllReduce(FloatsIn(values));
    EXPECT_EQ(one.Read(values), (std::vector<float>{ranks * (ranks + 1) / 2, 10 * ranks}));
  });
}

TEST_P(GpuCollectiveTest, BroadcastGivesTheBytesOfOneRank) {
  Run([](GpuRank& one) {
    const int ranks = one.own.size();
    const auto rank = static_cast<float>(one.own.rank());
    const Tensor own = one.On({rank, -rank});
    one.own.Broadcast(ranks - 1, BytesIn(own));
    const auto last = static_cast<float>(ranks - 1);
    EXPECT_EQ(one.Read(own), (std::vector<float>{last, -last}));
  });
}

class WrittenPieces final : public PieceWork {
 public:
  WrittenPieces(const Tensor& from, const Tensor& to) : from_(FloatsIn(from)), to_(FloatsIn(to)) {}
  int64_t floats(int64_t) const override { return 2; }
  void Produce(Context& ctx, int64_t piece, float* to) const override {
    CopyFloats(ctx, &from_[2 * piece], to, 2);
  }
  void Consume(Context& ctx, int64_t piece, std::span<float* const> sums) const override {
    CopyFloats(ctx, sums[0], &to_[2 * piece], 2);
  }

 private:
  const std::span<float> from_, to_;
};

TEST_P(GpuCollectiveTest, ReduceScatterHandsEachPieceToOneRank) {
  Run([](GpuRank& one) {
    const auto ranks = static_cast<float>(one.own.size());
    const Tensor from = one.On({1, 2, 3, 4, 5, 6, 7, 8}), to = one.On(std::vector<float>(8));
    const Tensor room = one.On({0, 0});
    const WrittenPieces work(from, to);
    one.own.ReduceScatter(one.ctx, 4, work, FloatsIn(room));
    std::vector<float> expected(8);
    for (int i = 0; i < 8; ++i)
      if (i / 2 % one.own.size() == one.own.rank()) expected[i] = static_cast<float>(i + 1) * ranks;
    EXPECT_EQ(one.Read(to), expected);
  });
}

}  // namespace
}  // namespace singa
