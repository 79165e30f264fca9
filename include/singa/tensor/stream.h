// A device other than the host, as training sees it: its memory, and streams of work that it does
// in order while the host goes on. CUDA devices implement it, and in tests a host that emulates
// one.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "singa/tensor/tensor.h"

namespace singa {

class Gpu;

// A place in a stream.
class Event {
 public:
  virtual ~Event() = default;
  // Whether the stream has passed it.
  virtual bool Done() = 0;
  // Until the stream has passed it. Throws DeviceError for a fault of the device.
  virtual void Wait() = 0;
};

// Work of one step as the device replays it: kernels and copies, with the arguments that they had
// when they were captured.
class CapturedWork {
 public:
  virtual ~CapturedWork() = default;
};

// Used by one thread. All of it throws DeviceError for a fault of the device, which may be that of
// earlier work.
class Stream {
 public:
  virtual ~Stream() = default;
  virtual Gpu& gpu() = 0;
  // Takes the memory that kernels in this stream may need, before the first of them: so many bytes.
  virtual void ReserveWorkspace() {}
  virtual int64_t workspace_bytes() const { return 0; }

  // Between host and device, or within either. Host memory is pinned (Gpu::AllocatePinned), and
  // stays as it is until the stream has passed the copy.
  virtual void Copy(const void* from, void* to, int64_t bytes) = 0;
  virtual void Zero(void* to, int64_t bytes) = 0;

  virtual std::unique_ptr<Event> Record() = 0;
  // Work that follows waits until `event`, of another stream of the same device, is passed.
  virtual void Await(Event& event) = 0;
  // The host waits until all is done.
  virtual void Wait() = 0;

  // What follows is not run but captured. Who waits meanwhile, or allocates memory, is thrown
  // DeviceError; then the capture is dropped.
  virtual void BeginCapture() = 0;
  virtual std::unique_ptr<CapturedWork> EndCapture() = 0;
  virtual void DropCapture() noexcept = 0;
  virtual void Replay(const CapturedWork& work) = 0;

  // Runs `kernel`, which is the host's, in the order of the stream. Of an emulated device alone.
  virtual void Run(std::function<void()> kernel) = 0;
};

class Gpu {
 public:
  virtual ~Gpu() = default;
  virtual std::string name() const = 0;
  // Whose kernels run on it; kCpu: it is emulated.
  virtual Device kernels() const = 0;
  // Before the calling thread hands it work, if another thread did so before.
  virtual void Use() = 0;
  virtual int64_t total_bytes() const = 0;
  virtual int64_t free_bytes() const = 0;
  // Zero-filled memory of the device. Throws DeviceError with the bytes that are wanted and free.
  virtual std::shared_ptr<void> Allocate(int64_t bytes) = 0;
  // Zero-filled memory of the host, for copies. Throws DeviceError with the bytes that are wanted.
  virtual std::shared_ptr<void> AllocatePinned(int64_t bytes) = 0;
  virtual std::unique_ptr<Stream> NewStream() = 0;
};

}  // namespace singa
