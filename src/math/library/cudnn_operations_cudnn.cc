#include "math/library/cudnn_operations.h"

namespace singa {

CudnnDescriptor CudnnTensor::Describe() const {
  CudnnDescriptor tensor(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  tensor.Set(CUDNN_ATTR_TENSOR_UNIQUE_ID, number)
      .Set(CUDNN_ATTR_TENSOR_DATA_TYPE, type)
      .Set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, alignment)
      .SetAll<int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS, dims)
      .SetAll<int64_t>(CUDNN_ATTR_TENSOR_STRIDES, strides)
      .Set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, place == CudnnPlace::kWithinGraph)
      .Set(CUDNN_ATTR_TENSOR_IS_BY_VALUE, place == CudnnPlace::kValue)
      .Finalize();
  return tensor;
}

cudnnDataType_t CudnnTypeOf(Precision precision) {
  switch (precision) {
    case Precision::kBFloat16:
      return CUDNN_DATA_BFLOAT16;
    case Precision::kFloat16:
      return CUDNN_DATA_HALF;
    default:
      return CUDNN_DATA_FLOAT;
  }
}

CudnnDescriptor CudnnPointwise::Operation(std::initializer_list<CudnnDescriptor> inputs,
                                          const CudnnDescriptor& y) const {
  CudnnDescriptor how(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
  how.Set(CUDNN_ATTR_POINTWISE_MODE, mode).Set(CUDNN_ATTR_POINTWISE_MATH_PREC, computes);
  if (axis) how.Set(CUDNN_ATTR_POINTWISE_AXIS, *axis);
  how.Finalize();
  CudnnDescriptor operation(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  operation.Set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, how)
      .Set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y);
  constexpr cudnnBackendAttributeName_t kInputs[] = {CUDNN_ATTR_OPERATION_POINTWISE_XDESC,
                                                     CUDNN_ATTR_OPERATION_POINTWISE_BDESC,
                                                     CUDNN_ATTR_OPERATION_POINTWISE_TDESC};
  const auto* name = kInputs;
  for (const CudnnDescriptor& input : inputs) operation.Set(*name++, input);
  operation.Finalize();
  return operation;
}

CudnnDescriptor CudnnProduct(const CudnnDescriptor& a, const CudnnDescriptor& b,
                             const CudnnDescriptor& c) {
  CudnnDescriptor product(CUDNN_BACKEND_MATMUL_DESCRIPTOR);
  product.Set(CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_DATA_FLOAT).Finalize();
  CudnnDescriptor operation(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
  operation.Set(CUDNN_ATTR_OPERATION_MATMUL_DESC, product)
      .Set(CUDNN_ATTR_OPERATION_MATMUL_ADESC, a)
      .Set(CUDNN_ATTR_OPERATION_MATMUL_BDESC, b)
      .Set(CUDNN_ATTR_OPERATION_MATMUL_CDESC, c)
      .Finalize();
  return operation;
}

CudnnDescriptor CudnnReduction(cudnnReduceTensorOp_t how, const CudnnDescriptor& x,
                               const CudnnDescriptor& y) {
  CudnnDescriptor reduction(CUDNN_BACKEND_REDUCTION_DESCRIPTOR);
  reduction.Set(CUDNN_ATTR_REDUCTION_OPERATOR, how)
      .Set(CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_DATA_FLOAT)
      .Finalize();
  CudnnDescriptor operation(CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR);
  operation.Set(CUDNN_ATTR_OPERATION_REDUCTION_DESC, reduction)
      .Set(CUDNN_ATTR_OPERATION_REDUCTION_XDESC, x)
      .Set(CUDNN_ATTR_OPERATION_REDUCTION_YDESC, y)
      .Finalize();
  return operation;
}

CudnnDescriptor CudnnReshape(const CudnnDescriptor& x, const CudnnDescriptor& y) {
  CudnnDescriptor operation(CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR);
  operation.Set(CUDNN_ATTR_OPERATION_RESHAPE_XDESC, x)
      .Set(CUDNN_ATTR_OPERATION_RESHAPE_YDESC, y)
      .Finalize();
  return operation;
}

}  // namespace singa
