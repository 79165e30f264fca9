// CUDA convolution for shapes without a cuDNN engine, and for comparison with cuDNN.
#include "nn/neuron/convolution_columns.h"
#include "tensor/kernel/launch.cuh"

namespace singa {
namespace {

constexpr int64_t kMatrixBytes = int64_t{256} << 20;

struct OnDevice {
  template <typename F>
  void operator()(Context& ctx, int64_t n, const F& f) const {
    ForEach(ctx, n, f);
  }
};

std::unique_ptr<ConvolutionPlan> Make(Context&, const ConvolutionDesc& desc) {
  return std::make_unique<ColumnsConvolution<OnDevice>>(desc, kMatrixBytes);
}

[[maybe_unused]] const bool registered = MakeConvolution.Set(Device::kCuda, Make);

}  // namespace
}  // namespace singa
