#include "nn/neuron/convolution_graphs.h"

#include <algorithm>

namespace singa {
namespace {

using Four = std::array<int64_t, 4>;
enum : int64_t { kX = 1, kW, kY, kBias, kProduct };  // numbers of tensors

// Dimensions and strides as cuDNN wants them: (n, c, h, w), whatever the layout.
CudnnDescriptor TensorOf(int64_t number, const Four& dims, const Four& strides, int64_t alignment,
                         bool computed_within) {
  CudnnDescriptor tensor(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  tensor.Set(CUDNN_ATTR_TENSOR_UNIQUE_ID, number)
      .Set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_DATA_FLOAT)
      .Set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, alignment)
      .SetAll<int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS, dims)
      .SetAll<int64_t>(CUDNN_ATTR_TENSOR_STRIDES, strides)
      .Set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, computed_within)
      .Finalize();
  return tensor;
}

constexpr int64_t kFloat = 4, kAligned = 16;  // bytes

CudnnDescriptor ChannelsLast(int64_t number, const Four& dims, int64_t alignment,
                             bool computed_within = false) {
  const auto [n, c, h, w] = dims;
  return TensorOf(number, dims, {h * w * c, 1, w * c, c}, alignment, computed_within);
}

// Images may be one time step of several, which lie one behind the other.
CudnnDescriptor ImageTensor(int64_t number, const ImageShape& s, bool computed_within = false) {
  return ChannelsLast(number, {s.n, s.c, s.h, s.w}, s.size() % 4 == 0 ? kAligned : kFloat,
                      computed_within);
}

CudnnDescriptor FilterTensor(const ConvolutionDesc& d) {
  return ChannelsLast(kW, {d.out.c, d.in.c, d.window.y.kernel, d.window.x.kernel}, kAligned);
}

CudnnDescriptor WindowOf(const Window& window) {
  const std::array<int64_t, 2> pads = {window.y.pad, window.x.pad}, dilations = {1, 1},
                               strides = {window.y.stride, window.x.stride};
  CudnnDescriptor convolution(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  convolution.Set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_DATA_FLOAT)
      .Set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_CROSS_CORRELATION)
      .Set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, int64_t{2})
      .SetAll<int64_t>(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, pads)
      .SetAll<int64_t>(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, pads)
      .SetAll<int64_t>(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, strides)
      .SetAll<int64_t>(CUDNN_ATTR_CONVOLUTION_DILATIONS, dilations)
      .Finalize();
  return convolution;
}

CudnnDescriptor ForwardOf(const ConvolutionDesc& d, const CudnnDescriptor& y) {
  CudnnDescriptor operation(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
  operation.Set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, WindowOf(d.window))
      .Set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, ImageTensor(kX, d.in))
      .Set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, FilterTensor(d))
      .Set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, y)
      .Set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, 1.f)
      .Set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, 0.f)
      .Finalize();
  return operation;
}

CudnnDescriptor BackwardDataOf(const ConvolutionDesc& d) {
  CudnnDescriptor operation(CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR);
  operation.Set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC, WindowOf(d.window))
      .Set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, ImageTensor(kX, d.in))
      .Set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W, FilterTensor(d))
      .Set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY, ImageTensor(kY, d.out))
      .Set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA, 1.f)
      .Set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA, 0.f)
      .Finalize();
  return operation;
}

CudnnDescriptor BackwardWeightsOf(const ConvolutionDesc& d) {
  CudnnDescriptor operation(CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR);
  operation.Set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC, WindowOf(d.window))
      .Set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X, ImageTensor(kX, d.in))
      .Set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW, FilterTensor(d))
      .Set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY, ImageTensor(kY, d.out))
      .Set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA, 1.f)
      .Set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA, 0.f)
      .Finalize();
  return operation;
}

// y = product + b of its channel.
CudnnDescriptor BiasOf(const ConvolutionDesc& d, const CudnnDescriptor& product) {
  CudnnDescriptor add(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
  add.Set(CUDNN_ATTR_POINTWISE_MODE, CUDNN_POINTWISE_ADD)
      .Set(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_DATA_FLOAT)
      .Finalize();
  CudnnDescriptor operation(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  operation.Set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, add)
      .Set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, product)
      .Set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, ChannelsLast(kBias, {1, d.out.c, 1, 1}, kFloat))
      .Set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, ImageTensor(kY, d.out))
      .Finalize();
  return operation;
}

CudnnPlan PlanOf(const CudnnTarget& target, const CudnnDescriptor& operation,
                 const CudnnLimits& limits) {
  return CudnnPlan::Make(target, {&operation, 1}, limits);
}

CudnnPlan ForwardPlan(const CudnnTarget& target, const ConvolutionDesc& d,
                      const CudnnLimits& limits, bool* adds_bias) {
  *adds_bias = d.bias;
  if (d.bias) try {
      const CudnnDescriptor product = ImageTensor(kProduct, d.out, true);
      CudnnDescriptor operations[] = {ForwardOf(d, product), BiasOf(d, product)};
      return CudnnPlan::Make(target, operations, limits);
    } catch (const CudnnDeclines&) {
      *adds_bias = false;
    }
  return PlanOf(target, ForwardOf(d, ImageTensor(kY, d.out)), limits);
}

}  // namespace

ConvolutionGraphs::ConvolutionGraphs(const CudnnTarget& target, const ConvolutionDesc& desc,
                                     const CudnnLimits& limits)
    : forward_(ForwardPlan(target, desc, limits, &adds_bias_)),
      data_(PlanOf(target, BackwardDataOf(desc), limits)),
      weights_(PlanOf(target, BackwardWeightsOf(desc), limits)) {}

int64_t ConvolutionGraphs::workspace_bytes() const {
  return std::max(
      {forward_.workspace_bytes(), data_.workspace_bytes(), weights_.workspace_bytes()});
}

void ConvolutionGraphs::Forward(Context& ctx, const float* x, const float* w, const float* b,
                                float* y, void* workspace) const {
  if (adds_bias_)
    forward_.Run(ctx, {{kX, x}, {kW, w}, {kBias, b}, {kY, y}}, workspace);
  else
    forward_.Run(ctx, {{kX, x}, {kW, w}, {kY, y}}, workspace);
}

void ConvolutionGraphs::BackwardData(Context& ctx, const float* dy, const float* w, float* dx,
                                     void* workspace) const {
  data_.Run(ctx, {{kY, dy}, {kW, w}, {kX, dx}}, workspace);
}

void ConvolutionGraphs::BackwardWeights(Context& ctx, const float* x, const float* dy, float* dw,
                                        void* workspace) const {
  weights_.Run(ctx, {{kX, x}, {kY, dy}, {kW, dw}}, workspace);
}

}  // namespace singa
