// Tests copies and events of streams, on each GPU that is there.
#include "singa/tensor/stream.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/gpu_test.h"

namespace singa::stream_test {
namespace {

class StreamTest : public GpuTest {};
SINGA_TEST_ON_ALL_GPUS(StreamTest);

TEST_P(StreamTest, CopiesToTheDeviceWithinItAndBack) {
  for (const int64_t n : {int64_t{1}, int64_t{3}, int64_t{1025}, kMany}) {
    SCOPED_TRACE(n);
    const int32_t* const from = Pinned(n, 7);
    int32_t *const x = OnGpu(n), *const y = OnGpu(n), *const to = Pinned(n);
    Copy(&stream_, from, x, n);
    Copy(&stream_, x, y, n);
    Copy(&stream_, y, to, n);
    stream_.Wait();
    EXPECT_TRUE(std::equal(from, from + n, to));
  }
}

TEST_P(StreamTest, CopiesAndZeroesBytesAtAnyAddress) {
  int32_t* const x = OnGpu(2);
  char *const from = reinterpret_cast<char*>(Pinned(2)), *const at = reinterpret_cast<char*>(x);
  std::copy_n("abcdefgh", 8, from);
  stream_.Copy(from + 1, at + 3, 5);
  stream_.Zero(at + 5, 1);
  stream_.Copy(at, from, 8);
  stream_.Wait();
  EXPECT_EQ(std::string(from, 8), std::string("\0\0\0bc\0ef", 8));
}

TEST_P(StreamTest, DoesItsWorkInOrder) {
  const int32_t* const from = Pinned(kMany, 1);
  int32_t *const x = OnGpu(kMany), *const before = Pinned(kMany), *const after = Pinned(kMany, 9);
  Copy(&stream_, from, x, kMany);
  Copy(&stream_, x, before, kMany);
  stream_.Zero(x + 1, (kMany - 1) * kBytes);
  Copy(&stream_, x, after, kMany);
  stream_.Wait();
  EXPECT_TRUE(std::equal(from, from + kMany, before));
  EXPECT_EQ(after[0], 1);
  EXPECT_EQ(std::count(after + 1, after + kMany, 0), kMany - 1);
}

// Events that were given back are used again.
TEST_P(StreamTest, PassesAnEventWhenTheWorkBeforeItIsDone) {
  int32_t *const from = Pinned(kMany), *const x = OnGpu(kMany), *const to = Pinned(kMany);
  for (const int32_t round : {1, 2, 3}) {
    Count(round, from, kMany);
    Copy(&stream_, from, x, kMany);
    Copy(&stream_, x, to, kMany);
    const std::unique_ptr<Event> event = stream_.Record();
    event->Wait();
    EXPECT_TRUE(event->Done());
    EXPECT_TRUE(std::equal(from, from + kMany, to)) << round;
  }
}

// Each stream reads the other's latest numbers.
TEST_P(StreamTest, WaitsForAnEventOfAnother) {
  const std::unique_ptr<Stream> side = gpu_.NewStream();
  int32_t *const from = Pinned(kMany), *const to = Pinned(kMany);
  int32_t *const x = OnGpu(kMany), *const y = OnGpu(kMany);
  for (const int32_t round : {1, 2, 3}) {
    Count(round, from, kMany);
    Copy(&stream_, from, x, kMany);
    side->Await(*stream_.Record());
    Copy(side.get(), x, y, kMany);
    stream_.Await(*side->Record());
    stream_.Zero(x, kMany * kBytes);
    Copy(&stream_, y, to, kMany);
    stream_.Wait();
    EXPECT_TRUE(std::equal(from, from + kMany, to)) << round;
  }
}

}  // namespace
}  // namespace singa::stream_test
