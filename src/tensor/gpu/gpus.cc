#include "tensor/gpu/gpus.h"

#include <utility>

#include "singa/base/error.h"

namespace singa {
namespace {

GpuDriver& Driver() {
  static GpuDriver driver;
  return driver;
}

std::string CapabilityText(int capability) { return StrCat(capability / 10, ".", capability % 10); }

}  // namespace

GpuDriver SetGpuDriver(const GpuDriver& driver) { return std::exchange(Driver(), driver); }

bool HasGpuDriver() { return Driver().count != nullptr; }

int CountGpus(std::string* why_none) {
  if (HasGpuDriver()) return Driver().count(why_none);
  if (why_none) *why_none = "this build has no CUDA kernels";
  return 0;
}

std::unique_ptr<Gpu> OpenGpu(int number) {
  std::string why;
  const int count = CountGpus(&why);
  if (count == 0) throw DeviceError(StrCat("there is no GPU: ", why));
  if (number < 0 || number >= count)
    throw DeviceError(StrCat("there is no GPU ", number, "; this machine has ", count,
                             count == 1 ? ", number 0" : StrCat(", from 0 to ", count - 1)));
  const int least = Driver().least_capability;
  if (Driver().capability(number) < least)
    throw DeviceError(StrCat("GPU ", number, " has compute capability ", CapabilityOfGpu(number),
                             "; this build has kernels for ", CapabilityText(least), " and newer"));
  return Driver().open(number);
}

GpuIdentity IdentityOfGpu(int number) { return Driver().identity(number); }

std::string CapabilityOfGpu(int number) { return CapabilityText(Driver().capability(number)); }

std::string GpuVersions() { return HasGpuDriver() ? Driver().versions() : ""; }

std::vector<GpuLibrary> GpuLibraries() {
  return HasGpuDriver() ? Driver().libraries() : std::vector<GpuLibrary>();
}

std::string VersionOf(const GpuLibrary& library) {
  const int64_t version = library.version();
  return StrCat(version / 10000, ".", version / 100 % 100, ".", version % 100);
}

bool CanGroupGpus(std::string* why) {
  if (HasGpuDriver()) return Driver().can_group(why);
  *why = "this build has no CUDA kernels";
  return false;
}

GpuGroupId NewGpuGroup() { return Driver().new_group(); }

std::unique_ptr<GpuGroup> JoinGpuGroup(const GpuMember& member, Gpu* gpu) {
  return Driver().join(member, gpu);
}

}  // namespace singa
