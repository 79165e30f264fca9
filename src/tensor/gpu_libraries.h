// CUDA's libraries, which a job on a GPU loads when it needs them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tensor/library.h"

namespace singa {

// Of a build with CUDA.
extern Library cublas_lt, cudnn, nccl;

struct GpuLibrary {
  const char* name;  // "cuDNN"
  Library* library;
  // 10000 major + 100 minor + patch. REQUIRES: the library is available.
  int64_t (*version)();
};
// Those that this build may load; none without CUDA.
const std::vector<GpuLibrary>& GpuLibraries();
// What a build with CUDA puts in place before main. Returns those before.
std::vector<GpuLibrary> SetGpuLibraries(std::vector<GpuLibrary> libraries);

// "13.1.0" of 130100.
std::string LibraryVersion(int64_t version);

}  // namespace singa
