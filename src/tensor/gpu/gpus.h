// The GPUs of this machine.
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

// What tells a GPU from all others, those of other machines too.
using GpuIdentity = std::array<uint32_t, 4>;

// What a build with support for GPUs puts in place before main.
struct GpuDriver {
  // How many there are; of none, *why says so.
  int (*count)(std::string* why) = nullptr;
  std::unique_ptr<Gpu> (*open)(int number) = nullptr;
  GpuIdentity (*identity)(int number) = nullptr;
  // Its compute capability, "9.0", as 10 major + minor; the least that the build has kernels for.
  int (*capability)(int number) = nullptr;
  int least_capability = 0;
  // "runtime 13.0; driver 580.95.05, for CUDA up to 13.0"
  std::string (*versions)() = nullptr;
  // What jobs may load.
  std::vector<GpuLibrary> (*libraries)() = nullptr;
  // Of gpu_group.h.
  bool (*can_group)(std::string* why) = nullptr;
  GpuGroupId (*new_group)() = nullptr;
  std::unique_ptr<GpuGroup> (*join)(const GpuMember& member, Gpu* gpu) = nullptr;
};
// Returns the one before.
GpuDriver SetGpuDriver(const GpuDriver& driver);

bool HasGpuDriver();
int CountGpus(std::string* why_none = nullptr);
// Throws DeviceError where there is no such one, or the build has no kernels for it.
std::unique_ptr<Gpu> OpenGpu(int number);
// REQUIRES: there is such one.
GpuIdentity IdentityOfGpu(int number);
std::string CapabilityOfGpu(int number);  // "9.0"
std::string GpuVersions();
std::vector<GpuLibrary> GpuLibraries();
// "13.1.0". REQUIRES: it is available.
std::string VersionOf(const GpuLibrary& library);

}  // namespace singa
