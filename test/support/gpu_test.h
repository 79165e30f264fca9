// GpuTest is the fixture of tests of a GPU and its streams. They run on each GPU that is there.
//   using StreamTest = GpuTest;
//   SINGA_TEST_ON_ALL_GPUS(StreamTest);
#pragma once

#include <numeric>
#include <vector>

#include "support/test_device.h"

namespace singa {

class GpuTest : public ::testing::TestWithParam<TestPlace> {
 protected:
  using Numbers = std::vector<int32_t>;
  // A device needs a while for so many numbers.
  static constexpr int64_t kMany = int64_t{1} << 24;

  // Fills `to` with x, x + 1 and so on.
  static void Count(int32_t x, int32_t* to, int64_t n) { std::iota(to, to + n, x); }
  // Makes n numbers in pinned memory of the host. Device makes n zeros on the device.
  int32_t* Pinned(int64_t n, int32_t x = 0) {
    int32_t* const numbers = Keep(gpu_.AllocatePinned(n * kBytes));
    Count(x, numbers, n);
    return numbers;
  }
  int32_t* OnGpu(int64_t n) { return Keep(gpu_.Allocate(n * kBytes)); }

  static void Copy(Stream* stream, const int32_t* from, int32_t* to, int64_t n) {
    stream->Copy(from, to, n * kBytes);
  }
  // Returns the device's numbers after all earlier work is done.
  Numbers Read(const int32_t* from, int64_t n) {
    const auto pinned = gpu_.AllocatePinned(n * kBytes);
    int32_t* const numbers = static_cast<int32_t*>(pinned.get());
    Copy(&stream_, from, numbers, n);
    stream_.Wait();
    return {numbers, numbers + n};
  }

  static constexpr int64_t kBytes = sizeof(int32_t);
  TestDevice device_{GetParam()};
  Gpu& gpu_ = *device_.gpu;
  Stream& stream_ = *device_.stream;

 private:
  int32_t* Keep(std::shared_ptr<void> memory) {
    memory_.push_back(std::move(memory));
    return static_cast<int32_t*>(memory_.back().get());
  }
  std::vector<std::shared_ptr<void>> memory_;
};

}  // namespace singa
