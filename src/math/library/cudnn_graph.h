// Wraps cuDNN's graph API. Callers describe tensors and operations, the library's heuristics choose
// an engine for them, and the resulting plan runs on pointers.
#pragma once

#include <cudnn.h>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "singa/tensor/context.h"

namespace singa {

// Returns whether cuDNN can be loaded; if not, *why says why.
bool CudnnAvailable(std::string* why);
// Returns 10000 major + 100 minor + patch. Throws DeviceError if cuDNN cannot be loaded.
int64_t CudnnVersion();

// Thrown if cuDNN has no engine for the operations. The caller then does them in another way.
struct CudnnDeclines {
  std::string why;
};

template <typename T>
extern const cudnnBackendAttributeType_t kCudnnType;
template <>
inline constexpr auto kCudnnType<int64_t> = CUDNN_TYPE_INT64;
template <>
inline constexpr auto kCudnnType<float> = CUDNN_TYPE_FLOAT;
template <>
inline constexpr auto kCudnnType<bool> = CUDNN_TYPE_BOOLEAN;
template <>
inline constexpr auto kCudnnType<char> = CUDNN_TYPE_CHAR;
template <>
inline constexpr auto kCudnnType<void*> = CUDNN_TYPE_VOID_PTR;
template <>
inline constexpr auto kCudnnType<cudnnHandle_t> = CUDNN_TYPE_HANDLE;
template <>
inline constexpr auto kCudnnType<cudnnDataType_t> = CUDNN_TYPE_DATA_TYPE;
template <>
inline constexpr auto kCudnnType<cudnnConvolutionMode_t> = CUDNN_TYPE_CONVOLUTION_MODE;
template <>
inline constexpr auto kCudnnType<cudnnPointwiseMode_t> = CUDNN_TYPE_POINTWISE_MODE;
template <>
inline constexpr auto kCudnnType<cudnnReduceTensorOp_t> = CUDNN_TYPE_REDUCTION_OPERATOR_TYPE;
template <>
inline constexpr auto kCudnnType<cudnnBackendHeurMode_t> = CUDNN_TYPE_HEUR_MODE;
template <>
inline constexpr auto kCudnnType<cudnnBackendNumericalNote_t> = CUDNN_TYPE_NUMERICAL_NOTE;

// One of cuDNN's descriptors. All methods throw DeviceError; Finalize also throws CudnnDeclines.
class CudnnDescriptor {
 public:
  explicit CudnnDescriptor(cudnnBackendDescriptorType_t type);

  template <typename T>
  CudnnDescriptor& SetAll(cudnnBackendAttributeName_t name, std::span<const T> values) {
    SetRaw(name, kCudnnType<T>, static_cast<int64_t>(values.size()), values.data());
    return *this;
  }
  template <typename T>
  CudnnDescriptor& Set(cudnnBackendAttributeName_t name, const T& value) {
    return SetAll(name, std::span<const T>(&value, 1));
  }
  CudnnDescriptor& Set(cudnnBackendAttributeName_t name, const CudnnDescriptor& value) {
    return SetAll(name, std::span(&value, 1));
  }
  CudnnDescriptor& SetAll(cudnnBackendAttributeName_t name,
                          std::span<const CudnnDescriptor> values);
  void Finalize();

  // Returns the values of an attribute, `most` at most.
  template <typename T>
  std::vector<T> Get(cudnnBackendAttributeName_t name, int64_t most) const {
    std::vector<T> values(most);
    values.resize(GetRaw(name, kCudnnType<T>, most, values.data()));
    return values;
  }
  // Gets values into descriptors that exist already. Returns how many values there are; with
  // `values`, how many it got.
  int64_t GetInto(cudnnBackendAttributeName_t name, std::span<CudnnDescriptor> values) const;

  cudnnBackendDescriptor_t get() const { return own_.get(); }

 private:
  void SetRaw(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t n,
              const void* values);
  int64_t GetRaw(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t n,
                 void* values) const;

  std::shared_ptr<void> own_;
  std::vector<CudnnDescriptor> parts_;  // descriptors that it refers to
};

// The target of a plan.
struct CudnnTarget {
  cudnnHandle_t handle = nullptr;
  // If not null: the device's properties, instead of a handle.
  const CudnnDescriptor* device = nullptr;
};
// Returns the handle of the context's stream.
cudnnHandle_t CudnnHandleOf(const Context& ctx);

struct CudnnLimits {
  bool tensor_cores;  // may be used; they round float32 factors to TF32
  int64_t workspace;  // bytes
};

// Maximum workspace of a layer's plan in bytes. With 256 MiB the weights' gradient of AlexNet's
// first convolution, with a batch of 256, would get no engine on tensor cores: they need 437 to 506
// MiB.
inline constexpr int64_t kCudnnWorkspace = int64_t{1} << 30;
inline constexpr int64_t kCudnnAlignment = 256;  // of a workspace, in bytes
// Returns the first aligned address of memory with kCudnnAlignment bytes more than a workspace.
inline void* AlignedForCudnn(void* memory) {
  size_t space = kCudnnAlignment;
  return std::align(kCudnnAlignment, 0, memory, space);
}

// A plan of operations for which an engine was chosen.
class CudnnPlan {
 public:
  // Chooses the first engine, in the order of cuDNN's heuristics, that keeps the limits, is
  // deterministic and can do these operations. Nothing is timed. Throws CudnnDeclines.
  static CudnnPlan Make(const CudnnTarget& target, std::span<const CudnnDescriptor> operations,
                        const CudnnLimits& limits);

  int64_t workspace_bytes() const { return workspace_; }
  bool on_tensor_cores() const { return on_tensor_cores_; }

  // Binds tensors, by their numbers, to memory.
  void Run(Context& ctx, std::initializer_list<std::pair<int64_t, const void*>> tensors,
           void* workspace) const;

 private:
  static CudnnPlan Choose(const CudnnTarget& target, std::span<const CudnnDescriptor> operations,
                          const CudnnLimits& limits);
  CudnnPlan(CudnnDescriptor graph, CudnnDescriptor plan, int64_t workspace, bool on_tensor_cores)
      : graph_(std::move(graph)),
        plan_(std::move(plan)),
        workspace_(workspace),
        on_tensor_cores_(on_tensor_cores) {}

  CudnnDescriptor graph_, plan_;
  int64_t workspace_;
  bool on_tensor_cores_;
};

}  // namespace singa
