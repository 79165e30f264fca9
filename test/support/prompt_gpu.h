// PromptGpu is a device in the host's memory that does work as soon as it is handed to a stream. It
// logs the work in order. An EmulatedGpu works as late as it may, and so hides a stream that does
// not wait for another. Here the line about the wait is missing from the log.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "singa/base/error.h"
#include "singa/tensor/stream.h"

namespace singa {

class PromptGpu : public Gpu {
 public:
  // A line reads "stream 2 copies pinned 1 to device 3". Streams and memory are numbered in the
  // order of their making.
  std::vector<std::string> log;

  std::string name() const override { return "prompt"; }
  Device kernels() const override { return Device::kCpu; }
  void Use() override {}
  int64_t total_bytes() const override { return 1 << 20; }
  int64_t free_bytes() const override { return 0; }
  std::shared_ptr<void> Allocate(int64_t bytes) override { return Memory("device ", bytes); }
  std::shared_ptr<void> AllocatePinned(int64_t bytes) override { return Memory("pinned ", bytes); }
  std::unique_ptr<Stream> NewStream() override;

 protected:
  virtual void CheckRoom(int64_t) const {}

 private:
  friend class PromptStream;
  struct Piece {
    std::string name;
    std::vector<char> bytes;
  };

  std::shared_ptr<void> Memory(const char* kind, int64_t bytes) {
    CheckRoom(bytes);
    const auto same = [kind](const auto& piece) { return piece->name.rfind(kind, 0) == 0; };
    const auto number = 1 + std::count_if(memory_.begin(), memory_.end(), same);
    memory_.push_back(
        std::make_shared<Piece>(Piece{StrCat(kind, number), std::vector<char>(bytes + 1)}));
    return {memory_.back(), memory_.back()->bytes.data()};
  }
  std::string PlaceOf(const void* p) const {
    for (const auto& piece : memory_)
      if (p >= piece->bytes.data() && p < piece->bytes.data() + piece->bytes.size())
        return piece->name;
    return "other memory";
  }

  std::vector<std::shared_ptr<Piece>> memory_;  // all that was ever allocated
  int streams_ = 0;
};

class PromptStream final : public Stream {
 public:
  PromptStream(PromptGpu* gpu, std::string name) : gpu_(gpu), name_(std::move(name)) {}

  Gpu& gpu() override { return *gpu_; }
  void Copy(const void* from, void* to, int64_t bytes) override {
    Note(StrCat("copies ", gpu_->PlaceOf(from), " to ", gpu_->PlaceOf(to)));
    std::memcpy(to, from, static_cast<size_t>(bytes));
  }
  void Zero(void* to, int64_t bytes) override {
    Note(StrCat("zeroes ", gpu_->PlaceOf(to)));
    std::memset(to, 0, static_cast<size_t>(bytes));
  }
  std::unique_ptr<Event> Record() override {
    auto place = std::make_unique<Place>(gpu_, StrCat("event ", ++events_, " of ", name_));
    Note(StrCat("records event ", events_));
    return place;
  }
  void Await(Event& event) override {
    Note(StrCat("awaits ", static_cast<const Place&>(event).name));
  }
  void Wait() override { gpu_->log.push_back(StrCat("the host awaits ", name_)); }
  void BeginCapture() override {}
  std::unique_ptr<CapturedWork> EndCapture() override { return nullptr; }
  void DropCapture() noexcept override {}
  void Replay(const CapturedWork&) override {}
  void Run(std::function<void()> kernel) override {
    Note("runs a kernel");
    kernel();
  }

 private:
  struct Place final : Event {
    Place(PromptGpu* of, std::string text) : gpu(of), name(std::move(text)) {}
    bool Done() override { return true; }
    void Wait() override { gpu->log.push_back(StrCat("the host awaits ", name)); }
    PromptGpu* const gpu;
    const std::string name;
  };

  void Note(const std::string& what) { gpu_->log.push_back(StrCat(name_, " ", what)); }

  PromptGpu* const gpu_;
  const std::string name_;
  int events_ = 0;
};

inline std::unique_ptr<Stream> PromptGpu::NewStream() {
  return std::make_unique<PromptStream>(this, StrCat("stream ", ++streams_));
}

}  // namespace singa
