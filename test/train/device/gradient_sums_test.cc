// Tests sums of a group's gradients that begin during the backward pass. The group has two emulated
// GPUs, or two of the machine's, or its only one.
#include "train/device/gradient_sums.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <thread>

#include "support/device_memory.h"
#include "support/emulated_machine.h"
#include "support/prompt_gpu.h"
#include "support/test_device.h"

namespace singa::gradient_sums_test {
namespace {

using Layout = GradientSums::Layout;

constexpr int64_t kFloats = 100;

// Member is one of the members, and counts sums.
class Member final : public GpuGroup {
 public:
  explicit Member(const GpuMember& member)
      : member_(member),
        number_(member.member),
        gpu_(OpenGpu(number_)),
        stream_(gpu_->NewStream()),
        transfers_(gpu_->NewStream()),
        group_(JoinGpuGroup(member, gpu_.get())) {
    ctx_.device = gpu_->kernels();
    ctx_.stream = stream_.get();
    values_ = memory_.Allocate({kFloats});
    for (int x = 0; x < 10; ++x) {
      written_[x] = memory_.Allocate({kFloats});
      memory_.Write(std::vector<float>(kFloats, static_cast<float>(x)).data(), &written_[x]);
    }
  }

  void Sum(float* values, int64_t n, Stream& stream) override {
    EXPECT_NE(&stream, stream_.get());
    sums_.push_back({values - values_.data(), n});
    group_->Sum(values, n, stream);
  }
  void Sum(double*, int64_t, Stream&) override { FAIL() << "no gradient is float64"; }
  void AllGather(const std::byte*, std::byte*, int64_t, Stream&) override { FAIL() << "no sum"; }
  void Broadcast(int, std::byte*, int64_t, Stream&) override { FAIL() << "no sum"; }
  void Exchange(std::span<const GpuTransfer>, Stream&) override { FAIL() << "no sum"; }
  void Await(Event& event) override {
    awaited_.push_back(sums_.size());
    group_->Await(event);
  }

  // These write x times the member's number from 1, or x, to [begin, begin + n), by work of the
  // context.
  void Write(int64_t begin, int64_t n, int x) { WriteSame(begin, n, x * (1 + number_)); }
  void WriteSame(int64_t begin, int64_t n, int x) {
    CopyFloats(ctx_, written_[x].data(), values_.data() + begin, n);
  }
  std::vector<float> Read() const { return memory_.Read(values_); }

  const GpuMember member_;
  const int number_;
  const std::unique_ptr<Gpu> gpu_;
  const std::unique_ptr<Stream> stream_, transfers_;
  const std::unique_ptr<GpuGroup> group_;
  Context ctx_;
  DeviceMemory memory_{&ctx_};
  Tensor values_, written_[10];
  std::vector<std::pair<int64_t, int64_t>> sums_;  // begin, size
  std::vector<size_t> awaited_;                    // the number of sums at each wait
};

const Layout kLayout = {{10, 30, 50, 80}, {3, 1, 2, 0}, 20};

TEST(GradientSumsTest, PiecesAreWhatIsWholeAtTheEnd) {
  EmulatedGpu gpu;
  const std::unique_ptr<Stream> stream = gpu.NewStream();
  Context ctx;
  ctx.stream = stream.get();
  Tensor values = Allocate(ctx, {kFloats});
  const auto pieces = [&](std::vector<int> order, int64_t at_once) {
    return GradientSums(nullptr, {}, &ctx, stream.get(), &values,
                        {kLayout.begins, std::move(order), at_once})
        .pieces();
  };
  EXPECT_EQ(pieces({3, 2, 1, 0}, 1), 4);
  EXPECT_EQ(pieces({3, 2, 1, 0}, 25), 2);  // from 50 on, then the rest
  EXPECT_EQ(pieces({3, 1, 2, 0}, 1), 3);   // 1 and 2 together
  EXPECT_EQ(pieces({2, 0}, 1), 2);         // neither 3 nor 1 is ever made
  EXPECT_EQ(pieces({0, 1, 2, 3}, 1), 1);
  EXPECT_EQ(pieces({3, 2, 1, 0}, 1000), 1);
  EXPECT_EQ(pieces({}, 1), 1);
}

class SumsAsKernels final : public GpuGroup {
 public:
  void Sum(float*, int64_t, Stream& stream) override {
    stream.Run([] {});
  }
  void Sum(double*, int64_t, Stream&) override { FAIL() << "no gradient is float64"; }
  void AllGather(const std::byte*, std::byte*, int64_t, Stream&) override { FAIL() << "no sum"; }
  void Broadcast(int, std::byte*, int64_t, Stream&) override { FAIL() << "no sum"; }
  void Exchange(std::span<const GpuTransfer>, Stream&) override { FAIL() << "no sum"; }
  void Await(Event& event) override { event.Wait(); }
};

TEST(GradientSumsTest, WaitForWhatMadeThemAndWhatFollowsForThem) {
  PromptGpu gpu;
  const std::unique_ptr<Stream> stream = gpu.NewStream(), transfers = gpu.NewStream();
  Context ctx;
  ctx.stream = stream.get();
  Tensor values = Allocate(ctx, {kFloats});
  SumsAsKernels group;
  GradientSums sums(&group, {}, &ctx, transfers.get(), &values, {kLayout.begins, {3, 0}, 20});
  const std::vector<std::string> first_piece = {
      "stream 1 records event 1", "stream 2 awaits event 1 of stream 1", "stream 2 runs a kernel"};
  sums.Ready();
  EXPECT_EQ(gpu.log, first_piece);
  gpu.log.clear();
  sums.Ready();
  sums.Finish(true);
  const std::vector<std::string> end = {
      "stream 1 records event 2", "stream 2 awaits event 2 of stream 1", "stream 2 runs a kernel",
      "stream 2 records event 1", "stream 1 awaits event 1 of stream 2"};
  EXPECT_EQ(gpu.log, end);
}

class GradientSumsOf : public ::testing::TestWithParam<TestPlace> {
 protected:
  void SetUp() override {
    if (GetParam() == TestPlace::kEmulated) machine_.emplace(2);
    std::string why;
    if (!CanGroupGpus(&why)) GTEST_SKIP() << why;
    members_ = std::min(CountGpus(), 2);
    sum_ = static_cast<float>(members_ * (members_ + 1) / 2);
  }
  // Calls run(member) for each member, in its own thread.
  void RunAll(const std::function<void(Member*)>& run) const {
    const GpuGroupId id = NewGpuGroup();
    const auto one = [&](int number) {
      Member member({id, members_, number, &stopped_, &deadline_});
      run(&member);
    };
    std::optional<std::jthread> other;
    if (members_ > 1) other.emplace(one, 1);
    one(0);
  }

  std::optional<EmulatedMachine> machine_;
  std::atomic<bool> stopped_{false};
  ProgressDeadline deadline_{std::chrono::seconds(30)};
  int members_ = 0;
  float sum_ = 0;  // of the members' numbers, from 1
};
SINGA_TEST_ON_ALL_GPUS(GradientSumsOf);

TEST_P(GradientSumsOf, AStepThatIsNotCapturedBeginAtItsEnd) {
  RunAll([this](Member* member) {
    GradientSums sums(member, member->member_, &member->ctx_, member->transfers_.get(),
                      &member->values_, kLayout);
    member->Write(0, kFloats, 1);
    sums.Finish(false);
    EXPECT_EQ(member->Read(), std::vector<float>(kFloats, sum_));
    EXPECT_EQ(member->sums_,
              (std::vector<std::pair<int64_t, int64_t>>{{80, 20}, {30, 50}, {0, 30}}));
    EXPECT_EQ(member->awaited_, (std::vector<size_t>{1, 2}));  // before the next sum begins
  });
}

// A piece's sum waits for the work that made the piece. Only work after Finish waits for the sum.
// Replays do the same.
TEST_P(GradientSumsOf, ACapturedStepBeginWhenTheyAreWhole) {
  RunAll([this](Member* member) {
    GradientSums sums(member, member->member_, &member->ctx_, member->transfers_.get(),
                      &member->values_, kLayout);
    sums.Finish(false);
    member->sums_.clear();
    member->awaited_.clear();
    member->stream_->BeginCapture();
    member->Write(80, 20, 1);
    sums.Ready();
    EXPECT_EQ(member->sums_.size(), 1u);
    member->Write(30, 20, 2);
    sums.Ready();
    EXPECT_EQ(member->sums_.size(), 1u);
    member->Write(50, 30, 3);
    sums.Ready();
    EXPECT_EQ(member->sums_.size(), 2u);
    member->Write(0, 30, 4);
    sums.Ready();
    sums.Finish(true);
    EXPECT_EQ(member->sums_.size(), 3u);
    EXPECT_TRUE(member->awaited_.empty());
    member->WriteSame(99, 1, 9);
    const auto work = member->stream_->EndCapture();
    for (int replay = 0; replay < 2; ++replay) {
      member->stream_->Replay(*work);
      const std::vector<float> found = member->Read();
      EXPECT_EQ(found[0], 4 * sum_);
      EXPECT_EQ(found[30], 2 * sum_);
      EXPECT_EQ(found[50], 3 * sum_);
      EXPECT_EQ(found[80], sum_);
      EXPECT_EQ(found[99], 9);
    }
  });
}

TEST_P(GradientSumsOf, ACaptureThatFailedHaveNotBegun) {
  RunAll([this](Member* member) {
    GradientSums sums(member, member->member_, &member->ctx_, member->transfers_.get(),
                      &member->values_, kLayout);
    sums.Finish(false);
    member->stream_->BeginCapture();
    sums.Ready();
    member->stream_->DropCapture();
    member->sums_.clear();
    member->Write(0, kFloats, 1);
    sums.Finish(false);
    EXPECT_EQ(member->sums_.size(), 3u);
    EXPECT_EQ(member->Read(), std::vector<float>(kFloats, sum_));
  });
}

}  // namespace
}  // namespace singa::gradient_sums_test
