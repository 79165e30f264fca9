// Tests memory of GPUs, and moves of numbers between it and the host.
#include "singa/tensor/memory.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "singa/base/error.h"
#include "support/gpu_test.h"

namespace singa::memory_test {
namespace {

class GpuMemoryTest : public GpuTest {};
SINGA_TEST_ON_ALL_GPUS(GpuMemoryTest);

// The memory has had other numbers in an earlier round.
TEST_P(GpuMemoryTest, IsZeroAtFirst) {
  constexpr int64_t kNumbers = 1 << 20;
  const int32_t* const ones = Pinned(kNumbers, 1);
  for (int round = 0; round < 3; ++round) {
    const auto memory = gpu_.Allocate(kNumbers * kBytes);
    EXPECT_EQ(Read(static_cast<int32_t*>(memory.get()), kNumbers), Numbers(kNumbers, 0));
    Copy(&stream_, ones, static_cast<int32_t*>(memory.get()), kNumbers);
    stream_.Wait();
    const auto pinned = gpu_.AllocatePinned(kNumbers * kBytes);
    auto* const host = static_cast<int32_t*>(pinned.get());
    EXPECT_EQ(Numbers(host, host + kNumbers), Numbers(kNumbers, 0));
    Count(1, host, kNumbers);
  }
}

TEST_P(GpuMemoryTest, OfNoBytesIsThere) {
  EXPECT_NE(gpu_.Allocate(0), nullptr);
  EXPECT_NE(gpu_.AllocatePinned(0), nullptr);
}

TEST_P(GpuMemoryTest, ThatThereIsNotIsNamedWithWhatIsFree) {
  EXPECT_GT(gpu_.free_bytes(), 0);
  EXPECT_LE(gpu_.free_bytes(), gpu_.total_bytes());
  const bool cuda = GetParam() == TestPlace::kCuda;
  const std::string start = cuda ? "GPU 0 (" : "1099511627776 bytes are wanted, ";
  const std::string end = cuda ? StrCat(" of ", gpu_.total_bytes(), " are free") : " are free";
  try {
    gpu_.Allocate(int64_t{1} << 40);
    FAIL() << "no error";
  } catch (const DeviceError& error) {
    const std::string text = error.what();
    EXPECT_TRUE(text.starts_with(start)) << text;
    EXPECT_TRUE(text.ends_with(end)) << text;
    EXPECT_NE(text.find("1099511627776 bytes are wanted, "), std::string::npos) << text;
  }
  EXPECT_EQ(Read(OnGpu(3), 3), Numbers(3, 0));  // the fault leaves nothing behind
}

class MemoryTest : public ::testing::TestWithParam<TestPlace> {
 protected:
  TestDevice device_{GetParam()};
  Context& ctx_ = device_.ctx;
};
SINGA_TEST_AT_ALL_PLACES(MemoryTest);

TEST_P(MemoryTest, OfTheHostMayChangeOnceItIsCopied) {
  std::vector<float> from(1 << 20, 3);
  Tensor x = Allocate(ctx_, {1 << 20});
  CopyFromHost(ctx_, from.data(), x.data(), x.bytes());
  const std::vector<float> want = std::exchange(from, std::vector<float>(1 << 20, 4));
  const Tensor host = OnHost(ctx_, x);
  EXPECT_EQ(std::vector<float>(host.data(), host.data() + host.size()), want);
}

TEST_P(MemoryTest, IsCopiedAndZeroedInPartsAndByNothingToo) {
  const float from[] = {1, 2, 3, 4};
  Tensor x = Allocate(ctx_, {4}), y = Allocate(ctx_, {4});
  CopyFromHost(ctx_, from, x.data(), x.bytes());
  CopyFloats(ctx_, x.data() + 1, y.data(), 3);
  CopyFloats(ctx_, x.data(), x.data(), 4);
  ZeroFloats(ctx_, y.data() + 1, 1);
  CopyFromHost(ctx_, from, y.data(), 0);
  CopyFloats(ctx_, x.data(), y.data(), 0);
  ZeroFloats(ctx_, y.data(), 0);
  const Tensor host_x = OnHost(ctx_, x), host_y = OnHost(ctx_, y);
  EXPECT_EQ(std::vector<float>(host_x.data(), host_x.data() + 4),
            std::vector<float>(from, from + 4));
  EXPECT_EQ(std::vector<float>(host_y.data(), host_y.data() + 4), std::vector<float>({2, 0, 4, 0}));
}

}  // namespace
}  // namespace singa::memory_test
