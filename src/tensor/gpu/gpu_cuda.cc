// Implements Gpu and the driver's functions by CUDA.
#include <cstring>
#include <fstream>

#include "singa/base/error.h"
#include "tensor/gpu/cuda_stream.h"
#include "tensor/gpu/gpus.h"
#include "tensor/gpu/least_capability.h"
#include "tensor/gpu/nccl_group.h"

namespace singa {
namespace {

std::string Version(int number) { return StrCat(number / 1000, ".", number % 1000 / 10); }

class CudaGpu final : public Gpu {
 public:
  explicit CudaGpu(int number) : number_(number) {
    SetDevice();
    cudaDeviceProp properties;
    CheckCuda(cudaGetDeviceProperties(&properties, number_), "its properties");
    name_ = properties.name;
    total_ = static_cast<int64_t>(properties.totalGlobalMem);
  }

  std::string name() const override { return name_; }
  Device kernels() const override { return Device::kCuda; }
  void Use() override { SetDevice(); }
  int64_t total_bytes() const override { return total_; }
  int64_t free_bytes() const override {
    SetDevice();
    size_t free = 0, total = 0;
    CheckCuda(cudaMemGetInfo(&free, &total), "its free memory");
    return static_cast<int64_t>(free);
  }

  std::shared_ptr<void> Allocate(int64_t bytes) override {
    SetDevice();
    void* memory = nullptr;
    const cudaError_t status = cudaMalloc(&memory, Least(bytes));
    if (status != cudaSuccess) ThrowTooLittle(bytes, status);
    std::shared_ptr<void> owner(memory, [](void* p) { cudaFree(p); });
    CheckCuda(cudaMemset(memory, 0, Least(bytes)), "zeroing memory");
    // Our streams do not wait for the legacy stream, in which cudaMemset runs.
    CheckCuda(cudaStreamSynchronize(cudaStreamLegacy), "zeroing memory");
    return owner;
  }

  std::shared_ptr<void> AllocatePinned(int64_t bytes) override {
    SetDevice();
    void* memory = nullptr;
    const std::string what = StrCat(bytes, " bytes of pinned host memory");
    CheckCuda(cudaHostAlloc(&memory, Least(bytes), cudaHostAllocPortable), what.c_str());
    std::memset(memory, 0, Least(bytes));
    return {memory, [](void* p) { cudaFreeHost(p); }};
  }

  std::unique_ptr<Stream> NewStream() override {
    SetDevice();
    return std::make_unique<CudaStream>(this);
  }

 private:
  static size_t Least(int64_t bytes) { return bytes > 0 ? static_cast<size_t>(bytes) : 1; }
  void SetDevice() const { CheckCuda(cudaSetDevice(number_), "using it"); }

  [[noreturn]] void ThrowTooLittle(int64_t bytes, cudaError_t status) const {
    cudaGetLastError();
    if (status != cudaErrorMemoryAllocation) CheckCuda(status, "its memory");
    throw DeviceError(StrCat("GPU ", number_, " (", name_, "): ", bytes, " bytes are wanted, ",
                             free_bytes(), " of ", total_, " are free"));
  }

  const int number_;
  std::string name_;
  int64_t total_ = 0;
};

int Count(std::string* why) {
  int count = 0, driver = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess && count > 0) return count;
  cudaGetLastError();
  cudaDriverGetVersion(&driver);
  if (why)
    *why = StrCat("this machine has no CUDA device",
                  driver == 0             ? " (and no driver for one)"
                  : status != cudaSuccess ? StrCat(" (", cudaGetErrorString(status), ")")
                                          : "");
  return 0;
}

std::unique_ptr<Gpu> Open(int number) { return std::make_unique<CudaGpu>(number); }

GpuIdentity Identity(int number) {
  cudaDeviceProp properties;
  CheckCuda(cudaGetDeviceProperties(&properties, number), "its properties");
  GpuIdentity identity;
  static_assert(sizeof properties.uuid == sizeof identity);
  std::memcpy(identity.data(), &properties.uuid, sizeof identity);
  return identity;
}

int Capability(int number) {
  int major = 0, minor = 0;
  CheckCuda(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, number),
            "its compute capability");
  CheckCuda(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, number),
            "its compute capability");
  return 10 * major + minor;
}

// CUDA tells only the newest CUDA version that the driver supports; the kernel module tells the
// driver's version.
std::string Versions() {
  int runtime = 0, newest = 0;
  cudaRuntimeGetVersion(&runtime);
  cudaDriverGetVersion(&newest);
  const std::string built_in = StrCat("runtime ", Version(runtime));
  if (newest == 0) return built_in + "; no driver";
  std::string driver;
  std::ifstream("/sys/module/nvidia/version") >> driver;
  return StrCat(built_in, "; driver ", driver, driver.empty() ? "" : ", ", "for CUDA up to ",
                Version(newest));
}

[[maybe_unused]] const bool registered =
    (SetGpuDriver({Count, Open, Identity, Capability, kLeastCapability, Versions, CudaLibraries,
                   CanUseNccl, NewNcclGroup, JoinNcclGroup}),
     true);

}  // namespace
}  // namespace singa
