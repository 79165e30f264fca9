// Defines the libraries of the build's CUDA version.
#include <cublasLt.h>
#include <cudnn_graph.h>
#include <nccl.h>

#include "tensor/gpu/gpu_libraries.h"

namespace singa {

static_assert(CUBLAS_VER_MAJOR == 12 || CUBLAS_VER_MAJOR == 13);
constinit Library cublas_lt(CUBLAS_VER_MAJOR == 13 ? "libcublasLt.so.13" : "libcublasLt.so.12");
constinit Library cudnn("libcudnn.so.9");
constinit Library nccl("libnccl.so.2");

namespace {

constinit LibraryFunction<decltype(cublasLtGetVersion)> CublasLtVersion(&cublas_lt,
                                                                        "cublasLtGetVersion");
constinit LibraryFunction<decltype(cudnnGetVersion)> CudnnVersion(&cudnn, "cudnnGetVersion");
constinit LibraryFunction<decltype(ncclGetVersion)> GetNcclVersion(&nccl, "ncclGetVersion");

int64_t NcclVersion() {
  int version = 0;
  GetNcclVersion(&version);
  return version;
}

}  // namespace

std::vector<GpuLibrary> CudaLibraries() {
  return {{"cuBLASLt", &cublas_lt, [] { return int64_t(CublasLtVersion()); }},
          {"cuDNN", &cudnn, [] { return int64_t(CudnnVersion()); }},
          {"NCCL", &nccl, NcclVersion}};
}

}  // namespace singa
