// Convolution by OpenBLAS, in builds without oneDNN: the images' matrices, multiplied by Gemm.
#include "nn/neuron/convolution.h"
#include "nn/neuron/convolution_gemm.h"

namespace singa {
namespace {

std::unique_ptr<ConvolutionPlan> Make(Context& ctx, const ConvolutionDesc& desc) {
  if (IsHalf(ctx.precision)) return nullptr;
  return GemmConvolution(ctx, desc, "OpenBLAS");
}

[[maybe_unused]] const bool registered = MakeConvolution.Set(Device::kCpu, Make, Rank::kVendor);

}  // namespace
}  // namespace singa
