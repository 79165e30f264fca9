#include "tensor/gpu_libraries.h"

#include <utility>

#include "singa/base/str_cat.h"

namespace singa {
namespace {

std::vector<GpuLibrary>& Libraries() {
  static std::vector<GpuLibrary> libraries;
  return libraries;
}

}  // namespace

const std::vector<GpuLibrary>& GpuLibraries() { return Libraries(); }

std::vector<GpuLibrary> SetGpuLibraries(std::vector<GpuLibrary> libraries) {
  return std::exchange(Libraries(), std::move(libraries));
}

std::string LibraryVersion(int64_t version) {
  return StrCat(version / 10000, ".", version / 100 % 100, ".", version % 100);
}

}  // namespace singa
