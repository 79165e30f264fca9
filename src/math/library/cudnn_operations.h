// Makes descriptors of tensors and operations for graphs of cuDNN (cudnn_graph.h).
#pragma once

#include <array>
#include <initializer_list>
#include <optional>

#include "math/library/cudnn_graph.h"

namespace singa {

// kValue: a number that Run reads from the host's memory. kWithinGraph: a tensor between operations
// of the graph, without memory of its own.
enum class CudnnPlace : uint8_t { kMemory, kValue, kWithinGraph };

struct CudnnTensor {
  int64_t number;  // differs from those of the graph's other tensors
  cudnnDataType_t type;
  std::array<int64_t, 4> dims, strides;
  int64_t alignment = 16;  // bytes
  CudnnPlace place = CudnnPlace::kMemory;

  CudnnDescriptor Describe() const;
};

// Returns the type of factors in `precision`.
cudnnDataType_t CudnnTypeOf(Precision precision);

struct CudnnPointwise {
  cudnnPointwiseMode_t mode;
  cudnnDataType_t computes = CUDNN_DATA_FLOAT;
  std::optional<int64_t> axis = {};  // of CUDNN_POINTWISE_GEN_INDEX

  // y = mode(inputs). CUDNN_POINTWISE_BINARY_SELECT(a, b, t): a where t is true, else b.
  CudnnDescriptor Operation(std::initializer_list<CudnnDescriptor> inputs,
                            const CudnnDescriptor& y) const;
};

// Sums are float32.
CudnnDescriptor CudnnProduct(const CudnnDescriptor& a, const CudnnDescriptor& b,
                             const CudnnDescriptor& c);
// Reduces the dimensions of x that are 1 in y.
CudnnDescriptor CudnnReduction(cudnnReduceTensorOp_t how, const CudnnDescriptor& x,
                               const CudnnDescriptor& y);
// y has the elements of x in dimensions of its own.
CudnnDescriptor CudnnReshape(const CudnnDescriptor& x, const CudnnDescriptor& y);

}  // namespace singa
