// Finds and opens the GPUs of this machine.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "singa/tensor/stream.h"
#include "tensor/gpu/gpu_group.h"
#include "tensor/gpu/gpu_libraries.h"

namespace singa {

// Identifies a GPU among all GPUs of all machines.
using GpuIdentity = std::array<uint32_t, 4>;

// Functions that a build with support for GPUs sets before main.
struct GpuDriver {
  // Returns the number of GPUs; if there are none, *why says why.
  int (*count)(std::string* why) = nullptr;
  std::unique_ptr<Gpu> (*open)(int number) = nullptr;
  GpuIdentity (*identity)(int number) = nullptr;
  // The compute capability, 10 major + minor, of a GPU; the least one that the build has kernels
  // for.
  int (*capability)(int number) = nullptr;
  int least_capability = 0;
  // Returns, for example, "runtime 13.0; driver 580.95.05, for CUDA up to 13.0".
  std::string (*versions)() = nullptr;
  // Returns the libraries that jobs may load.
  std::vector<GpuLibrary> (*libraries)() = nullptr;
  // The functions of gpu_group.h.
  bool (*can_group)(std::string* why) = nullptr;
  GpuGroupId (*new_group)() = nullptr;
  std::unique_ptr<GpuGroup> (*join)(const GpuMember& member, Gpu* gpu) = nullptr;
};
// Sets the driver and returns the one before.
GpuDriver SetGpuDriver(const GpuDriver& driver);

bool HasGpuDriver();
int CountGpus(std::string* why_none = nullptr);
// Throws DeviceError if there is no such GPU, or the build has no kernels for it.
std::unique_ptr<Gpu> OpenGpu(int number);
// REQUIRES: there is such a GPU.
GpuIdentity IdentityOfGpu(int number);
std::string CapabilityOfGpu(int number);  // "9.0"
std::string GpuVersions();
std::vector<GpuLibrary> GpuLibraries();
// Returns, for example, "13.1.0". REQUIRES: the library is available.
std::string VersionOf(const GpuLibrary& library);

}  // namespace singa
