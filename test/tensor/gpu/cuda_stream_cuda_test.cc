// Tests parts that only a stream of CUDA has: memory for a piece of work, and objects of libraries.
// Both may be made while work is captured. Without a GPU there is no such test.
#include "tensor/gpu/cuda_stream.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "support/gpu_test.h"

namespace singa::cuda_stream_test {
namespace {

class CudaStreamTest : public GpuTest {
 protected:
  CudaStream& cuda() { return static_cast<CudaStream&>(stream_); }
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(CudaStreamTest);
INSTANTIATE_TEST_SUITE_P(Gpus, CudaStreamTest, ::testing::ValuesIn([] {
                           std::vector<TestPlace> places = GpuPlaces();
                           places.erase(places.begin());
                           return places;
                         }()),
                         PlaceName);

TEST_P(CudaStreamTest, HasOneWorkspaceThatWorkMayWriteToTheEnd) {
  auto* const bytes = static_cast<char*>(cuda().workspace());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(bytes) % 256, 0u);
  EXPECT_EQ(cuda().workspace(), bytes);
  stream_.Zero(bytes, CudaStream::kWorkspaceBytes);
  const int32_t* const from = Pinned(1, 5);
  auto* const last = reinterpret_cast<int32_t*>(bytes + CudaStream::kWorkspaceBytes) - 1;
  Copy(&stream_, from, last, 1);
  EXPECT_EQ(Read(last, 1)[0], 5);
}

// A stream keeps one object of each type, made once.
struct Kept {
  explicit Kept(CudaStream* of) : stream(of), memory(of->gpu().Allocate(64)) {}
  CudaStream* stream;
  std::shared_ptr<void> memory;
};
struct AlsoKept {
  explicit AlsoKept(CudaStream*) {}
};

TEST_P(CudaStreamTest, MakesWorkspaceAndPartsWhileWorkIsCaptured) {
  int32_t *const from = Pinned(1, 8), *const to = Pinned(1);
  stream_.BeginCapture();
  auto* const x = static_cast<int32_t*>(cuda().workspace());
  Kept& part = cuda().Part<Kept>();
  Copy(&stream_, from, x, 1);
  Copy(&stream_, x, static_cast<int32_t*>(part.memory.get()), 1);
  Copy(&stream_, static_cast<int32_t*>(part.memory.get()), to, 1);
  const std::unique_ptr<CapturedWork> work = stream_.EndCapture();
  stream_.Replay(*work);
  stream_.Wait();
  EXPECT_EQ(*to, 8);
  EXPECT_EQ(part.stream, &cuda());
  EXPECT_EQ(&cuda().Part<Kept>(), &part);
  EXPECT_NE(static_cast<void*>(&cuda().Part<AlsoKept>()), static_cast<void*>(&part));
}

}  // namespace
}  // namespace singa::cuda_stream_test
