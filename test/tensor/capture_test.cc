// Tests captured and replayed work of streams, on each GPU that is there.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>

#include "singa/base/error.h"
#include "support/gpu_test.h"

namespace singa::capture_test {
namespace {

class CaptureTest : public GpuTest {
 protected:
  static constexpr int64_t kFew = 1000;
  static Numbers From(int32_t x) {
    Numbers numbers(kFew);
    Count(x, numbers.data(), kFew);
    return numbers;
  }
  Numbers Seen() const { return {to_, to_ + kFew}; }

  // Numbers go from the host through x and y, and back.
  int32_t *const from_ = Pinned(kFew), *const to_ = Pinned(kFew);
  int32_t *const x_ = OnGpu(kFew), *const y_ = OnGpu(kFew);
};
SINGA_TEST_ON_ALL_GPUS(CaptureTest);

// A replay reads the memory when it runs, not earlier.
TEST_P(CaptureTest, ReplaysReadWhatTheMemoryHoldsThen) {
  Count(1, from_, kFew);
  stream_.BeginCapture();
  Copy(&stream_, from_, x_, kFew);
  Copy(&stream_, x_, y_, kFew);
  stream_.Zero(y_, kBytes);
  Copy(&stream_, y_, to_, kFew);
  const std::unique_ptr<CapturedWork> work = stream_.EndCapture();
  stream_.Wait();
  EXPECT_EQ(Seen(), From(0));
  for (const int32_t round : {5, 6}) {
    Count(round, from_, kFew);
    stream_.Replay(*work);
    stream_.Wait();
    Numbers want = From(round);
    want[0] = 0;
    EXPECT_EQ(Seen(), want);
  }
}

TEST_P(CaptureTest, ReplaysComeInTheOrderOfTheStream) {
  stream_.BeginCapture();
  Copy(&stream_, x_, y_, kFew);
  stream_.Zero(x_, kFew * kBytes);
  const std::unique_ptr<CapturedWork> work = stream_.EndCapture();
  Count(1, from_, kFew);
  Copy(&stream_, from_, x_, kFew);
  stream_.Replay(*work);
  Copy(&stream_, y_, to_, kFew);
  EXPECT_EQ(Read(x_, kFew), Numbers(kFew, 0));
  EXPECT_EQ(Seen(), From(1));
  stream_.Replay(*work);
  EXPECT_EQ(Read(y_, kFew), Numbers(kFew, 0));
}

TEST_P(CaptureTest, HasTheWorkOfAnotherStreamWithIt) {
  const std::unique_ptr<Stream> side = gpu_.NewStream();
  stream_.BeginCapture();
  Copy(&stream_, from_, x_, kFew);
  side->Await(*stream_.Record());
  Copy(side.get(), x_, y_, kFew);
  stream_.Await(*side->Record());
  Copy(&stream_, y_, to_, kFew);
  const std::unique_ptr<CapturedWork> work = stream_.EndCapture();
  for (const int32_t round : {3, 4}) {
    Count(round, from_, kFew);
    stream_.Replay(*work);
    stream_.Wait();
    EXPECT_EQ(Seen(), From(round));
  }
  Count(7, from_, kFew);  // the side stream is its own again
  Copy(side.get(), from_, to_, kFew);
  side->Wait();
  EXPECT_EQ(Seen(), From(7));
}

TEST_P(CaptureTest, WhatIsDroppedNeverRuns) {
  Count(1, from_, kFew);
  stream_.BeginCapture();
  Copy(&stream_, from_, x_, kFew);
  stream_.DropCapture();
  EXPECT_EQ(Read(x_, kFew), Numbers(kFew, 0));
  stream_.BeginCapture();
  Copy(&stream_, from_, y_, kFew);
  stream_.Replay(*stream_.EndCapture());
  EXPECT_EQ(Read(y_, kFew), From(1));
  EXPECT_EQ(Read(x_, kFew), Numbers(kFew, 0));
}

// Each refused call throws DeviceError. After DropCapture the stream works as before.
TEST_P(CaptureTest, RefusesWhatCannotBeCaptured) {
  const std::unique_ptr<Stream> side = gpu_.NewStream();
  const std::unique_ptr<Event> before = side->Record();
  std::unique_ptr<Event> within;
  const std::pair<const char*, std::function<void()>> refused[] = {
      {"a wait for the stream", [&] { stream_.Wait(); }},
      {"a wait for the stream that joined", [&] { side->Wait(); }},
      {"a wait for an event within", [&] { within->Wait(); }},
      {"a look at an event within", [&] { within->Done(); }},
      {"an event from before", [&] { stream_.Await(*before); }},
      {"memory", [&] { gpu_.Allocate(1 << 20); }},
      {"an end without the stream that joined", [&] { stream_.EndCapture(); }},
  };
  for (const auto& [what, use] : refused) {
    SCOPED_TRACE(what);
    stream_.BeginCapture();
    within = stream_.Record();
    side->Await(*within);
    Copy(side.get(), from_, x_, kFew);
    EXPECT_THROW(use(), DeviceError);
    stream_.DropCapture();
    Count(2, from_, kFew);
    Copy(&stream_, from_, y_, kFew);
    EXPECT_EQ(Read(y_, kFew), From(2));
    EXPECT_NO_THROW(side->Wait());
  }
}

}  // namespace
}  // namespace singa::capture_test
