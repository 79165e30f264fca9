// CudaStream implements Stream by CUDA. Files that call CUDA get its handle here.
#pragma once

#include <cuda_runtime_api.h>

#include <map>
#include <memory>
#include <vector>

#include "singa/tensor/context.h"
#include "singa/tensor/stream.h"

namespace singa {

// Throws DeviceError "GPU 0: what: CUDA's words" unless `status` is a success.
void CheckCuda(cudaError_t status, const char* what);

class CudaStream final : public Stream {
 public:
  // Throws DeviceError.
  explicit CudaStream(Gpu* gpu);
  ~CudaStream() override;
  CudaStream(const CudaStream&) = delete;

  cudaStream_t handle() const { return handle_; }

  // Returns an object that a library keeps for this stream, such as its handle: a T(CudaStream*).
  // The first call makes it, also while work is captured.
  template <typename T>
  T& Part() {
    static const char key = 0;
    std::shared_ptr<void>& part = parts_[&key];
    if (!part) part = MakePart<T>();
    return *static_cast<T*>(part.get());
  }

  // workspace() returns kWorkspaceBytes of memory, aligned to 256 bytes, that each piece of work of
  // this stream may use. Work of one stream runs in order, so all pieces share it.
  static constexpr int64_t kWorkspaceBytes = int64_t{32} << 20;
  void* workspace();

  Gpu& gpu() override { return *gpu_; }
  void* native_handle() override { return handle_; }
  void ReserveWorkspace() override;
  int64_t workspace_bytes() const override { return kWorkspaceBytes; }
  void Copy(const void* from, void* to, int64_t bytes) override;
  void Zero(void* to, int64_t bytes) override;
  std::unique_ptr<Event> Record() override;
  void Await(Event& event) override;
  void Wait() override;
  void BeginCapture() override;
  std::unique_ptr<CapturedWork> EndCapture() override;
  void DropCapture() noexcept override;
  void Replay(const CapturedWork& work) override;
  void Run(std::function<void()> kernel) override;

 private:
  class Place;

  // While it lives, memory can be allocated although work is captured. The allocation waits for no
  // captured work.
  class Uncaptured {
   public:
    Uncaptured() { cudaThreadExchangeStreamCaptureMode(&mode_); }
    ~Uncaptured() { cudaThreadExchangeStreamCaptureMode(&mode_); }
    Uncaptured(const Uncaptured&) = delete;

   private:
    cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
  };

  template <typename T>
  std::shared_ptr<T> MakePart() {
    const Uncaptured uncaptured;
    return std::make_shared<T>(this);
  }

  Gpu* const gpu_;
  cudaStream_t handle_ = nullptr;
  std::vector<cudaEvent_t> free_events_;
  std::map<const void*, std::shared_ptr<void>> parts_;
  std::shared_ptr<void> workspace_;
};

inline CudaStream& CudaStreamOf(const Context& ctx) {
  return *static_cast<CudaStream*>(ctx.stream);
}
inline cudaStream_t StreamOf(const Context& ctx) { return CudaStreamOf(ctx).handle(); }

}  // namespace singa
