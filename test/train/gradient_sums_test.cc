// Sums of a group's gradients that begin during the backward pass, on emulated GPUs.
#include "train/device/gradient_sums.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <thread>

#include "math/elementwise.h"
#include "singa/base/error.h"
#include "singa/tensor/memory.h"
#include "support/emulated_gpu.h"
#include "support/emulated_group.h"

namespace singa::gradient_sums_test {
namespace {

using Layout = GradientSums::Layout;

// One of two members, which counts sums.
class Member final : public GpuGroup {
 public:
  Member(const GpuGroupId& id, int number)
      : stream_(gpu_.NewStream()), group_(JoinEmulatedGroup({id, 2, number, &stopped_}, &gpu_)) {
    ctx_.stream = stream_.get();
    values_ = Allocate(ctx_, {kFloats});
  }

  void Sum(float* values, int64_t n, Stream& stream) override {
    EXPECT_NE(&stream, stream_.get());
    sums.push_back({values - values_.data(), n});
    group_->Sum(values, n, stream);
  }
  void Sum(double*, int64_t, Stream&) override { FAIL() << "no gradient is float64"; }
  void Await(Event& event) override { group_->Await(event); }

  // [begin, begin + n) is x, by work of the context.
  void Write(int64_t begin, int64_t n, float x) {
    float* const to = values_.data() + begin;
    stream_->Run([=] { std::fill(to, to + n, x); });
  }

  static constexpr int64_t kFloats = 100;
  EmulatedGpu gpu_;
  std::atomic<bool> stopped_{false};
  std::unique_ptr<Stream> stream_;
  std::unique_ptr<GpuGroup> group_;
  Context ctx_;
  Tensor values_;
  std::vector<std::pair<int64_t, int64_t>> sums;  // begin, size
};

// run(member, number) in a thread each.
void RunBoth(const std::function<void(Member*, int)>& run) {
  const GpuGroupId id = NewEmulatedGroup();
  const auto one = [&](int number) {
    Member member(id, number);
    run(&member, number);
  };
  std::thread other(one, 1);
  one(0);
  other.join();
}

const Layout kLayout = {{10, 30, 50, 80}, {3, 1, 2, 0}, 20};

TEST(GradientSumsTest, PiecesAreWhatIsWholeAtTheEnd) {
  EmulatedGpu gpu;
  const std::unique_ptr<Stream> stream = gpu.NewStream();
  Context ctx;
  ctx.stream = stream.get();
  Tensor values = Allocate(ctx, {100});
  const auto pieces = [&](std::vector<int> order, int64_t at_once) {
    return GradientSums(nullptr, &ctx, &values, {kLayout.begins, std::move(order), at_once})
        .pieces();
  };
  EXPECT_EQ(pieces({3, 2, 1, 0}, 1), 4);
  EXPECT_EQ(pieces({3, 2, 1, 0}, 25), 2);  // from 50, the rest
  EXPECT_EQ(pieces({3, 1, 2, 0}, 1), 3);   // 1 and 2 together
  EXPECT_EQ(pieces({2, 0}, 1), 2);         // 3 is never made, nor 1
  EXPECT_EQ(pieces({0, 1, 2, 3}, 1), 1);
  EXPECT_EQ(pieces({3, 2, 1, 0}, 1000), 1);
  EXPECT_EQ(pieces({}, 1), 1);
}

TEST(GradientSumsTest, WithoutCaptureAllBeginAtTheEnd) {
  RunBoth([](Member* member, int number) {
    GradientSums sums(member, &member->ctx_, &member->values_, kLayout);
    member->Write(0, 100, 1 + number);
    sums.Finish(false);
    const Tensor host = OnHost(member->ctx_, member->values_);
    for (int64_t i = 0; i < 100; ++i) EXPECT_EQ(host.data()[i], 3);
    EXPECT_EQ(member->sums,
              (std::vector<std::pair<int64_t, int64_t>>{{80, 20}, {30, 50}, {0, 30}}));
  });
}

// A piece's sum waits for what made it, and nothing that follows for the sum but what comes after
// Finish; replays do the same.
TEST(GradientSumsTest, InACaptureTheyBeginWhenTheyAreWhole) {
  RunBoth([](Member* member, int number) {
    GradientSums sums(member, &member->ctx_, &member->values_, kLayout);
    const float x = static_cast<float>(1 + number);
    sums.Finish(false);
    member->sums.clear();
    member->stream_->BeginCapture();
    member->Write(80, 20, x);
    sums.Ready();
    EXPECT_EQ(member->sums.size(), 1u);
    member->Write(30, 20, 2 * x);
    sums.Ready();
    EXPECT_EQ(member->sums.size(), 1u);
    member->Write(50, 30, 3 * x);
    sums.Ready();
    EXPECT_EQ(member->sums.size(), 2u);
    member->Write(0, 30, 4 * x);
    sums.Ready();
    sums.Finish(true);
    EXPECT_EQ(member->sums.size(), 3u);
    float* const last = member->values_.data() + 99;
    member->stream_->Run([last] { *last += 100; });
    const auto work = member->stream_->EndCapture();
    for (int replay = 0; replay < 2; ++replay) {
      member->stream_->Replay(*work);
      const Tensor host = OnHost(member->ctx_, member->values_);
      EXPECT_EQ(host.data()[0], 12);
      EXPECT_EQ(host.data()[30], 6);
      EXPECT_EQ(host.data()[50], 9);
      EXPECT_EQ(host.data()[80], 3);
      EXPECT_EQ(*(host.data() + 99), 103);
    }
  });
}

TEST(GradientSumsTest, ACaptureThatFailedHasBegunNothing) {
  RunBoth([](Member* member, int number) {
    GradientSums sums(member, &member->ctx_, &member->values_, kLayout);
    member->stream_->BeginCapture();
    sums.Ready();
    member->stream_->DropCapture();
    member->sums.clear();
    member->Write(0, 100, 1 + number);
    sums.Finish(false);
    EXPECT_EQ(member->sums.size(), 3u);
    EXPECT_EQ(OnHost(member->ctx_, member->values_).data()[80], 3);
  });
}

// What emulates a device is as strict as CUDA.
TEST(EmulatedCaptureTest, RefusesWhatCannotBeCaptured) {
  EmulatedGpu gpu;
  const std::unique_ptr<Stream> stream = gpu.NewStream(), side = gpu.NewStream();
  const std::unique_ptr<Event> before = side->Record();
  stream->BeginCapture();
  EXPECT_THROW(stream->Await(*before), DeviceError);
  const std::unique_ptr<Event> within = stream->Record();
  EXPECT_THROW(within->Wait(), DeviceError);
  EXPECT_THROW(within->Done(), DeviceError);
  side->Await(*within);
  EXPECT_THROW(side->Wait(), DeviceError);
  side->Run([] {});
  EXPECT_THROW(stream->EndCapture(), DeviceError);  // the side is not awaited
  stream->BeginCapture();
  side->Await(*stream->Record());
  side->Run([] {});
  stream->Await(*side->Record());
  EXPECT_NO_THROW(stream->EndCapture());
}

}  // namespace
}  // namespace singa::gradient_sums_test
