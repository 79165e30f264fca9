#include "nn/neuron/convolution_graphs.h"

#include <algorithm>

#include "math/library/cudnn_operations.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

enum : int64_t { kX = 1, kW, kY, kBias, kProduct };  // numbers of tensors

constexpr int64_t kFloat = 4, kVectorBytes = 16;  // bytes

// Makes a tensor's descriptor. Dimensions and strides are in the order (n, c, h, w) for each
// layout, as cuDNN requires.
CudnnDescriptor ChannelsLast(int64_t number, cudnnDataType_t type,
                             const std::array<int64_t, 4>& dims, int64_t alignment,
                             CudnnPlace place = CudnnPlace::kMemory) {
  const auto [n, c, h, w] = dims;
  const std::array<int64_t, 4> strides = {h * w * c, 1, w * c, c};
  return CudnnTensor{number, type, dims, strides, alignment, place}.Describe();
}

// Images of float32 may be one of several time steps in memory, so only kFloat alignment is known.
// Images of 16 bits are in their own memory.
CudnnDescriptor ImageTensor(int64_t number, cudnnDataType_t type, const ImageShape& s,
                            CudnnPlace place = CudnnPlace::kMemory) {
  const bool aligned = type != CUDNN_DATA_FLOAT || s.size() % 4 == 0;
  return ChannelsLast(number, type, {s.n, s.c, s.h, s.w}, aligned ? kVectorBytes : kFloat, place);
}

// cuDNN takes the number of groups from the channels of the images and of the filters.
CudnnDescriptor FilterTensor(cudnnDataType_t type, const ConvolutionDesc& d) {
  return ChannelsLast(kW, type, {d.out.c, d.channels(), d.window.y.kernel, d.window.x.kernel},
                      kVectorBytes);
}

CudnnDescriptor WindowOf(const Window& window) {
  const std::array<int64_t, 2> pads = {window.y.pad, window.x.pad},
                               strides = {window.y.stride, window.x.stride},
                               dilations = {window.y.dilation, window.x.dilation};
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

}  // namespace

// Makes the plans of one convolution for one device.
class ConvolutionGraphs::Maker {
 public:
  Maker(const CudnnTarget& target, const ConvolutionDesc& desc, Precision precision,
        int64_t workspace)
      : target_(target),
        d_(desc),
        type_(CudnnTypeOf(precision)),
        limits_{precision != Precision::kFloat32, workspace} {}

  CudnnPlan Forward(bool* adds_bias) const {
    *adds_bias = d_.bias;
    if (d_.bias) try {
        const CudnnDescriptor product =
            ImageTensor(kProduct, CUDNN_DATA_FLOAT, d_.out, CudnnPlace::kWithinGraph);
        CudnnDescriptor operations[] = {ForwardOf(product), BiasOf(product)};
        return CudnnPlan::Make(target_, operations, limits_);
      } catch (const CudnnDeclines&) {
        *adds_bias = false;
      }
    return Make(ForwardOf(ImageTensor(kY, type_, d_.out)));
  }

  std::optional<CudnnPlan> BackwardData() const {
    if (!d_.data_gradient) return {};
    CudnnDescriptor operation(CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR);
    operation.Set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC, WindowOf(d_.window))
        .Set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, ImageTensor(kX, type_, d_.in))
        .Set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W, FilterTensor(type_, d_))
        .Set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY, ImageTensor(kY, type_, d_.out))
        .Set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA, 1.f)
        .Set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA, 0.f)
        .Finalize();
    return Make(operation);
  }

  std::optional<CudnnPlan> BackwardWeights() const {
    if (!d_.weight_gradient) return {};
    CudnnDescriptor operation(CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR);
    operation.Set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC, WindowOf(d_.window))
        .Set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X, ImageTensor(kX, type_, d_.in))
        .Set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW, FilterTensor(type_, d_))
        .Set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY, ImageTensor(kY, type_, d_.out))
        .Set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA, 1.f)
        .Set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA, 0.f)
        .Finalize();
    return Make(operation);
  }

 private:
  CudnnPlan Make(const CudnnDescriptor& operation) const {
    return CudnnPlan::Make(target_, {&operation, 1}, limits_);
  }

  CudnnDescriptor ForwardOf(const CudnnDescriptor& y) const {
    CudnnDescriptor operation(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
    operation.Set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, WindowOf(d_.window))
        .Set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, ImageTensor(kX, type_, d_.in))
        .Set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, FilterTensor(type_, d_))
        .Set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, y)
        .Set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, 1.f)
        .Set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, 0.f)
        .Finalize();
    return operation;
  }

  // Makes the operation y = product + b of the channel.
  CudnnDescriptor BiasOf(const CudnnDescriptor& product) const {
    const CudnnDescriptor bias = ChannelsLast(kBias, type_, {1, d_.out.c, 1, 1},
                                              type_ == CUDNN_DATA_FLOAT ? kFloat : kVectorBytes);
    return CudnnPointwise{CUDNN_POINTWISE_ADD}.Operation({product, bias},
                                                         ImageTensor(kY, type_, d_.out));
  }

  const CudnnTarget target_;
  const ConvolutionDesc& d_;
  const cudnnDataType_t type_;  // type of all tensors
  const CudnnLimits limits_;
};

ConvolutionGraphs::ConvolutionGraphs(const CudnnTarget& target, const ConvolutionDesc& desc,
                                     Precision precision, int64_t workspace)
    : ConvolutionGraphs(Maker(target, desc, precision, workspace)) {}

ConvolutionGraphs::ConvolutionGraphs(const Maker& maker)
    : forward_(maker.Forward(&adds_bias_)),
      data_(maker.BackwardData()),
      weights_(maker.BackwardWeights()) {}

int64_t ConvolutionGraphs::workspace_bytes() const {
  int64_t bytes = forward_.workspace_bytes();
  for (const std::optional<CudnnPlan>* plan : {&data_, &weights_})
    if (*plan) bytes = std::max(bytes, (*plan)->workspace_bytes());
  return bytes;
}

std::string ConvolutionGraphs::WithoutTensorCores() const {
  std::string calls;
  const auto note = [&calls](const CudnnPlan& plan, const char* call) {
    if (!plan.on_tensor_cores()) calls += StrCat(calls.empty() ? "" : ", ", call);
  };
  note(forward_, "the forward pass");
  if (data_) note(*data_, "the input's gradient");
  if (weights_) note(*weights_, "the weights' gradient");
  return calls;
}

void ConvolutionGraphs::Forward(Context& ctx, const void* x, const void* w, const void* b, void* y,
                                void* workspace) const {
  if (adds_bias_)
    forward_.Run(ctx, {{kX, x}, {kW, w}, {kBias, b}, {kY, y}}, workspace);
  else
    forward_.Run(ctx, {{kX, x}, {kW, w}, {kY, y}}, workspace);
}

void ConvolutionGraphs::BackwardData(Context& ctx, const void* dy, const void* w, void* dx,
                                     void* workspace) const {
  data_->Run(ctx, {{kY, dy}, {kW, w}, {kX, dx}}, workspace);
}

void ConvolutionGraphs::BackwardWeights(Context& ctx, const void* x, const void* dy, void* dw,
                                        void* workspace) const {
  weights_->Run(ctx, {{kX, x}, {kY, dy}, {kW, dw}}, workspace);
}

}  // namespace singa
