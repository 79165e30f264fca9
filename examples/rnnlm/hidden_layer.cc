// kHidden: h[t] = sigm(x[t] + h[t - 1] w) with h[-1] = 0: each window begins anew.
//   x, h: [max_window, d]; w: [d, d].
//   dz[t] = (dh[t] + dz[t + 1] w^T) h[t] (1 - h[t]),  dx = dz,  dw = sum over t of h[t - 1]^T dz[t]
// Rows behind the window's end are computed, too: nothing reads them, and their dh is 0.
#include <algorithm>
#include <cmath>

#include "singa/base/error.h"
#include "singa/math/gemm.h"
#include "singa/nn/layer.h"

namespace rnnlm {
namespace {

class HiddenLayer final : public singa::Layer {
 public:
  void Setup(const singa::LayerProto&, singa::Declare& declare, singa::Inputs in,
             singa::Outputs out) override {
    declare.Sources(in, 1);
    steps_ = in[0]->data.rows();
    dim_ = in[0]->data.row_size();
    weight_ = declare.Param(0, {dim_, dim_});
    declare.Scratch(in[0]->data.bytes());
    out[0]->data.SetShape({steps_, dim_});
  }

  singa::Traits traits() const override { return {.grad_reads_out = true}; }

  singa::Work work() const override {
    const double products = 2. * static_cast<double>(steps_ * dim_ * dim_);
    return {products, products, products};
  }

  void ComputeFeature(singa::Context& ctx, singa::Phase, singa::Inputs in,
                      singa::Outputs out) override {
    float* h = out[0]->data.data();
    std::copy_n(in[0]->data.data(), steps_ * dim_, h);
    for (int64_t t = 0; t < steps_; ++t, h += dim_) {
      if (t > 0)
        singa::Gemm(ctx, 1, dim_, dim_, 1, {h - dim_, dim_}, {weight_->data.data(), dim_}, 1, h,
                    dim_);
      for (int64_t j = 0; j < dim_; ++j) h[j] = 1 / (1 + std::exp(-h[j]));
    }
  }

  void ComputeGradient(singa::Context& ctx, singa::Inputs in, singa::Outputs out) override {
    const float* h = out[0]->data.data();
    float* const dx = in[0]->grad.data();
    float* const dz = in[0]->grad.empty() ? static_cast<float*>(ctx.scratch) : dx;
    std::copy_n(out[0]->grad.data(), steps_ * dim_, dz);
    for (int64_t t = steps_ - 1; t >= 0; --t) {
      if (t + 1 < steps_)
        singa::Gemm(ctx, 1, dim_, dim_, 1, {dz + (t + 1) * dim_, dim_},
                    singa::Transposed(weight_->data.data(), dim_), 1, dz + t * dim_, dim_);
      for (int64_t i = t * dim_; i < (t + 1) * dim_; ++i) dz[i] *= h[i] * (1 - h[i]);
    }
    if (weight_->grad.empty()) return;
    if (steps_ > 1)
      singa::Gemm(ctx, dim_, dim_, steps_ - 1, 1, singa::Transposed(h, dim_), {dz + dim_, dim_},
                  weight_->beta(), weight_->grad.data(), dim_);
    else if (weight_->beta() == 0)
      std::fill_n(weight_->grad.data(), dim_ * dim_, 0.f);
  }

 private:
  int64_t steps_ = 0, dim_ = 0;
  singa::Param* weight_ = nullptr;
};
SINGA_REGISTER_LAYER(kHidden, HiddenLayer);

}  // namespace
}  // namespace rnnlm
