// Gpu and Stream are the interface of a device: its memory, and streams of work. The device does
// the work of a stream in order, while the host goes on. CUDA devices implement it, and tests
// emulate one on the host.
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
  // Returns whether the stream has passed the event.
  virtual bool Done() = 0;
  // Blocks until the stream has passed the event. Throws DeviceError for a fault of the device.
  virtual void Wait() = 0;
};

// The captured work of one step: kernels and copies with the arguments at the time of capture.
class CapturedWork {
 public:
  virtual ~CapturedWork() = default;
};

// A queue of work for one device. One thread uses it. All functions throw DeviceError for a fault
// of the device, which earlier work may have caused.
class Stream {
 public:
  virtual ~Stream() = default;
  virtual Gpu& gpu() = 0;
  // Returns the cudaStream_t of a CUDA stream, by which .cu files of plugins launch kernels; null:
  // the device is emulated.
  virtual void* native_handle() { return nullptr; }
  // Allocates the workspace_bytes() that kernels in this stream may need. Called before the first
  // kernel.
  virtual void ReserveWorkspace() {}
  virtual int64_t workspace_bytes() const { return 0; }

  // Copies between host and device, or within either. Host memory must be pinned
  // (Gpu::AllocatePinned), and must not change until the stream has passed the copy.
  virtual void Copy(const void* from, void* to, int64_t bytes) = 0;
  virtual void Zero(void* to, int64_t bytes) = 0;

  virtual std::unique_ptr<Event> Record() = 0;
  // Makes later work of this stream wait for `event`, of another stream of the same device.
  virtual void Await(Event& event) = 0;
  // Blocks the host until all work of the stream is done.
  virtual void Wait() = 0;

  // Begins to capture the work that follows instead of running it. Until EndCapture, waiting or
  // allocating memory throws DeviceError; then call DropCapture.
  virtual void BeginCapture() = 0;
  virtual std::unique_ptr<CapturedWork> EndCapture() = 0;
  virtual void DropCapture() noexcept = 0;
  virtual void Replay(const CapturedWork& work) = 0;

  // Runs `kernel` on the host, in the order of the stream. Only emulated devices support it.
  virtual void Run(std::function<void()> kernel) = 0;
};

class Gpu {
 public:
  virtual ~Gpu() = default;
  virtual std::string name() const = 0;
  // Returns the device whose kernels run on this GPU; kCpu: the GPU is emulated.
  virtual Device kernels() const = 0;
  // Makes this GPU current for the calling thread. A thread calls it before it gives work to a GPU
  // that another thread used.
  virtual void Use() = 0;
  virtual int64_t total_bytes() const = 0;
  virtual int64_t free_bytes() const = 0;
  // Returns zero-filled memory of the device. Throws DeviceError with the bytes that are wanted and
  // free.
  virtual std::shared_ptr<void> Allocate(int64_t bytes) = 0;
  // Returns zero-filled pinned memory of the host, for copies. Throws DeviceError with the bytes
  // that are wanted.
  virtual std::shared_ptr<void> AllocatePinned(int64_t bytes) = 0;
  virtual std::unique_ptr<Stream> NewStream() = 0;
};

}  // namespace singa
