// Lists CUDA's libraries, which a job on a GPU loads when it needs them.
#pragma once

#include <cstdint>
#include <vector>

#include "base/system/library.h"

namespace singa {

struct GpuLibrary {
  const char* name;  // "cuDNN"
  Library* library;
  // 10000 major + 100 minor + patch. REQUIRES: the library is available.
  int64_t (*version)();
};

// Defined in builds with CUDA.
extern Library cublas_lt, cudnn, nccl;
std::vector<GpuLibrary> CudaLibraries();

}  // namespace singa
