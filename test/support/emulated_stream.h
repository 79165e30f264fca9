// EmulatedStream holds work of an EmulatedGpu. Work runs when somebody waits for it; captured work
// runs when it is replayed. Work of other streams in the same capture runs as late as it may.
#pragma once

#include <glog/logging.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "singa/base/error.h"
#include "singa/tensor/stream.h"
#include "support/emulated_gpu.h"

namespace singa {

class EmulatedStream final : public Stream {
 public:
  using Work = std::function<void()>;
  // The CPU's kernels need no workspace. Tests count its bytes.
  static constexpr int64_t kWorkspaceBytes = int64_t{1} << 18;

  explicit EmulatedStream(EmulatedGpu* gpu) : gpu_(gpu) {}
  ~EmulatedStream() override {
    try {
      RunUntil(queued());
    } catch (...) {  // a device that is lost, or a group that has ended
    }
  }

  Gpu& gpu() override { return *gpu_; }
  void ReserveWorkspace() override { gpu_->Allocate(kWorkspaceBytes); }
  int64_t workspace_bytes() const override { return kWorkspaceBytes; }

  void Copy(const void* from, void* to, int64_t bytes) override {
    CHECK(gpu_->Has(from) || gpu_->IsPinned(from, bytes))
        << "copies from memory that is not pinned";
    CHECK(gpu_->Has(to) || gpu_->IsPinned(to, bytes)) << "copies to memory that is not pinned";
    Add([=] { ++EmulatedGpu::all_copies_, std::memcpy(to, from, bytes); });
  }
  void Zero(void* to, int64_t bytes) override {
    CHECK(gpu_->Has(to));
    gpu_->CheckUsed();
    Add([=] { std::memset(to, 0, bytes); });
  }

  std::unique_ptr<Event> Record() override {
    if (branch_) return std::make_unique<Place>(this, branch_->works.size(), branch_);
    return std::make_unique<Place>(this, queued());
  }
  // A stream that awaits captured work is captured, too, from there on.
  void Await(Event& event) override {
    const Place place = static_cast<Place&>(event);
    if (!branch_ && !place.branch) return Add([place] { place.stream->RunUntil(place.number); });
    if (!place.branch) throw DeviceError("awaits what is not captured while work is captured");
    if (!branch_) JoinCapture();
    if (place.branch == branch_ || place.branch == gpu_->capturing_.front()->branch_) return;
    Add([place] { place.branch->RunUntil(place.number); });
    place.branch->awaited = std::max(place.branch->awaited, place.number);
  }
  void Wait() override {
    if (branch_) throw DeviceError("waits while work is captured");
    RunUntil(queued());
  }

  void BeginCapture() override { JoinCapture(); }
  // The captured stream has to await all work of the other streams.
  std::unique_ptr<CapturedWork> EndCapture() override {
    auto captured = std::make_unique<Captured>();
    captured->own = branch_;
    bool awaited = true;
    for (const EmulatedStream* stream : gpu_->capturing_) {
      const Branch& branch = *stream->branch_;
      if (stream != this) captured->others.push_back(stream->branch_);
      awaited = awaited && (stream == this || branch.awaited == branch.size());
    }
    DropCapture();
    if (!awaited) throw DeviceError("the end of a capture does not await all of its streams");
    return captured;
  }
  void DropCapture() noexcept override {
    for (EmulatedStream* stream : gpu_->capturing_) stream->branch_.reset();
    gpu_->capturing_.clear();
  }
  void Replay(const CapturedWork& work) override {
    gpu_->CheckUsed();
    ++gpu_->replays_, ++EmulatedGpu::all_replays_;
    const auto& captured = static_cast<const Captured&>(work);
    Add([others = captured.others] {
      for (const auto& branch : others) branch->run = 0;
    });
    for (const Work& one : captured.own->works) Add(one);
  }

  void Run(std::function<void()> kernel) override {
    gpu_->CheckUsed();
    Add(std::move(kernel));
  }

 private:
  // Branch is the captured work of one stream. The branch of another stream runs only when the
  // stream of the capture awaits it.
  struct Branch {
    std::vector<Work> works;
    int64_t run = 0, awaited = 0;
    int64_t size() const { return static_cast<int64_t>(works.size()); }
    void RunUntil(int64_t number) {
      while (run < number) works[run++]();
    }
  };
  struct Captured final : CapturedWork {
    std::shared_ptr<Branch> own;
    std::vector<std::shared_ptr<Branch>> others;
  };
  struct Place final : Event {
    Place(EmulatedStream* of, int64_t n, std::shared_ptr<Branch> captured = nullptr)
        : stream(of), number(n), branch(std::move(captured)) {}
    bool Done() override { return CheckNotCaptured(), stream->run_ >= number; }
    void Wait() override { CheckNotCaptured(), stream->RunUntil(number); }
    void CheckNotCaptured() const {
      if (branch) throw DeviceError("the host waits for what is captured");
    }
    EmulatedStream* stream;
    int64_t number;                  // of the work before it
    std::shared_ptr<Branch> branch;  // null: the stream's
  };

  int64_t queued() const { return run_ + static_cast<int64_t>(queue_.size()); }

  void JoinCapture() {
    CHECK(!branch_);
    branch_ = std::make_shared<Branch>();
    gpu_->capturing_.push_back(this);
  }

  void Add(Work work) {
    if (branch_)
      branch_->works.push_back(std::move(work));
    else
      queue_.push_back(std::move(work));
  }

  void RunUntil(int64_t number) {
    const EmulatedGpu::Opened opened(gpu_);
    while (run_ < number) {
      gpu_->fault_.Meet(gpu_->works_);
      const Work work = std::move(queue_.front());
      queue_.pop_front();
      ++run_;  // work that throws is done, too
      work();
      ++gpu_->works_;
      ++EmulatedGpu::all_works_;
    }
  }

  EmulatedGpu* const gpu_;
  std::deque<Work> queue_;
  int64_t run_ = 0;                 // pieces of work
  std::shared_ptr<Branch> branch_;  // null: new work is not captured
};

inline std::unique_ptr<Stream> EmulatedGpu::NewStream() {
  return std::make_unique<EmulatedStream>(this);
}

}  // namespace singa
