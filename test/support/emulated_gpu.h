// EmulatedGpu is a device that the host plays, as lazily as a device may be. Work that is handed to
// a stream runs only when somebody waits for it. Only such work can read and write its memory: a
// host that looks into the memory dies. Captured work runs again with the arguments of its capture.
// If a training is right on it, then its copies, its captures, and the waits of the host and of the
// main stream are right. It does not show work that another stream does too early: see PromptGpu.
// Streams of several threads share the device, and their work takes turns.
#pragma once

#include <glog/logging.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "singa/base/error.h"
#include "singa/tensor/stream.h"
#include "support/gpu_fault.h"

namespace singa {

class EmulatedStream;

class EmulatedGpu final : public Gpu {
 public:
  static constexpr int64_t kReserved = int64_t{1} << 32;

  explicit EmulatedGpu(int64_t bytes = kReserved)
      : bytes_(bytes),
        base_(static_cast<char*>(::mmap(nullptr, kReserved, PROT_NONE,
                                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {
    CHECK(base_ != MAP_FAILED);
    Use();
  }
  ~EmulatedGpu() override { ::munmap(base_, kReserved); }
  EmulatedGpu(const EmulatedGpu&) = delete;

  static inline std::string model = "emulated";
  std::string name() const override { return model; }
  Device kernels() const override { return Device::kCpu; }
  void Use() override { used_here() = this; }
  int64_t total_bytes() const override { return bytes_; }
  int64_t free_bytes() const override {
    const std::lock_guard lock(mutex_);
    return bytes_ - used_;
  }

  // Memory is never used again, so a read of freed memory finds old numbers.
  std::shared_ptr<void> Allocate(int64_t bytes) override {
    Use();
    const std::lock_guard lock(mutex_);
    CheckNotCapturing();
    char* const memory = base_ + used_;
    if (bytes > free_bytes())
      throw DeviceError(StrCat(bytes, " bytes are wanted, ", free_bytes(), " are free"));
    used_ += (bytes + kPage - 1) / kPage * kPage;
    return {memory, [](void*) {}};
  }

  std::shared_ptr<void> AllocatePinned(int64_t bytes) override {
    Use();
    const std::lock_guard lock(mutex_);
    CheckNotCapturing();
    auto memory = std::make_shared<std::vector<char>>(std::max<int64_t>(bytes, 1));
    pinned_[memory->data()] = bytes;
    char* const data = memory->data();
    return {data, [this, memory](void* p) {
              const std::lock_guard freeing(mutex_);
              pinned_.erase(static_cast<char*>(p));
            }};
  }

  std::unique_ptr<Stream> NewStream() override;

  // These count replays of captured work, pieces of work, and copies. "of all" means all emulated
  // GPUs.
  int64_t replays() const { return replays_; }
  static int64_t replays_of_all() { return all_replays_; }
  static int64_t works_of_all() { return all_works_; }
  static int64_t copies_of_all() { return all_copies_; }
  void SetFault(const GpuFault& fault) { fault_ = fault; }

 private:
  friend class EmulatedStream;
  // Returns the GPU that the calling thread hands work to. CUDA has the same notion of a current
  // device.
  static const EmulatedGpu*& used_here() {
    static thread_local const EmulatedGpu* gpu;
    return gpu;
  }
  void CheckNotCapturing() const {
    if (!capturing_.empty()) throw DeviceError("allocates while work is captured");
  }
  void CheckUsed() const { CHECK(used_here() == this) << "the thread uses another GPU"; }

  static constexpr int64_t kPage = 4096;

  bool Has(const void* p) const {
    const std::lock_guard lock(mutex_);
    return p >= base_ && p < base_ + used_;
  }
  bool IsPinned(const void* p, int64_t bytes) const {
    const std::lock_guard lock(mutex_);
    const char* const at = static_cast<const char*>(p);
    auto next = pinned_.upper_bound(at);
    if (next == pinned_.begin()) return false;
    --next;
    return at + bytes <= next->first + next->second;
  }
  // While an Opened lives, this thread alone can read and write the memory. Opened can be nested,
  // because work of one stream may run work of another.
  class Opened {
   public:
    explicit Opened(EmulatedGpu* gpu) : lock_(gpu->mutex_), gpu_(gpu) {
      if (gpu_->open_++ == 0) gpu_->Protect(PROT_READ | PROT_WRITE);
    }
    ~Opened() {
      if (--gpu_->open_ == 0) gpu_->Protect(PROT_NONE);
    }
    Opened(const Opened&) = delete;

   private:
    const std::lock_guard<std::recursive_mutex> lock_;
    EmulatedGpu* const gpu_;
  };
  void Protect(int protection) const {
    if (used_ > 0) CHECK_EQ(::mprotect(base_, used_, protection), 0);
  }

  static inline std::atomic<int64_t> all_replays_{0}, all_works_{0}, all_copies_{0};
  mutable std::recursive_mutex mutex_;
  const int64_t bytes_;
  char* const base_;
  int64_t used_ = 0, replays_ = 0, works_ = 0;
  GpuFault fault_;
  int open_ = 0;
  std::vector<EmulatedStream*> capturing_;  // the first began it
  std::map<const char*, int64_t> pinned_;
};

}  // namespace singa
