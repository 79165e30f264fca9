#include "nn/neuron/rbm.h"

#include "math/cpu_dispatch.h"
#include "math/gemm/gemm_kernel.h"
#include "math/parallel_slices.h"
#include "nn/loss/euclidean_loss.h"
#include "nn/neuron/inner_product.h"
#include "nn/neuron/rbm_elements.h"
#include "singa/base/error.h"

namespace singa {
namespace {

SINGA_CPU_CLONES void BinarySlice(const float* __restrict p, float* __restrict s, int64_t n) {
  for (int64_t i = 0; i < n; ++i) s[i] = BinarySampleOf()(p[i], s[i]);
}

void Binary(Context& ctx, const float* p, float* s, int64_t n) {
  ParallelSlices(ctx, n, [&](int64_t i, int64_t end) { BinarySlice(p + i, s + i, end - i); });
}

SINGA_CPU_CLONES void GaussianSlice(const float* __restrict p, float* __restrict s, int64_t n) {
  for (int64_t i = 0; i < n; ++i) s[i] = GaussianSampleOf()(p[i], s[i]);
}

void Gaussian(Context& ctx, const float* p, float* s, int64_t n) {
  ParallelSlices(ctx, n, [&](int64_t i, int64_t end) { GaussianSlice(p + i, s + i, end - i); });
}

[[maybe_unused]] const bool registered =
    BinarySample.Set(Device::kCpu, Binary) && GaussianSample.Set(Device::kCpu, Gaussian);

}  // namespace

void RbmLayer::SetUpSide(const LayerProto& conf, Declare& declare, int64_t rows, int64_t visible,
                         int64_t units) {
  rows_ = rows;
  hidden_ = conf.rbm_conf().hdim();
  if (hidden_ < 1) throw ConfigError("rbm_conf.hdim", StrCat("must be >= 1, is ", hidden_));
  visible_ = visible;
  units_ = units;
  const bool has_bias = conf.rbm_conf().bias_term();
  if (conf.param_size() < (has_bias ? 2 : 1))
    throw ConfigError("param",
                      has_bias ? StrCat("needs 2 params (weight, bias), has ", conf.param_size(),
                                        "; without a bias set rbm_conf.bias_term: false")
                               : StrCat("needs 1 param (weight), has ", conf.param_size()));
  weight_ = declare.Param(0, {hidden_, visible_});
  if (has_bias) bias_ = declare.Param(1, {units_});
  declare.Uses(GemmKernel);
  if (!has_bias) return;
  declare.Uses(AddBias, SumBiasGradient, ScaledDifference);
  declare.Scratch(units_ * static_cast<int64_t>(sizeof(float)));
}

void RbmLayer::BiasGradient(Context& ctx, const float* negative, const float* positive_sums,
                            int64_t batch) const {
  const bool first = bias_->beta() == 0;
  float* const db = first ? bias_->grad.data() : static_cast<float*>(ctx.scratch);
  SumBiasGradient(ctx, negative, 0, db, rows_, units_);
  ScaledDifference(ctx, db, positive_sums, db, units_, 1 / static_cast<float>(batch));
  if (!first) AddBias(ctx, db, bias_->grad.data(), 1, units_);
}

}  // namespace singa
