#include "nn/neuron/layer_norm.h"

#include <cmath>

#include "math/scratch_layout.h"
#include "nn/neuron/unit_param.h"
#include "singa/base/error.h"
#include "singa/nn/layer.h"

namespace singa {
namespace {

void Forward(Context&, const float* x, const float* scale, const float* shift, float epsilon,
             float* y, LayerNormRows rows, int64_t n, int64_t d) {
  for (int64_t i = 0; i < n; ++i, x += d, y += d) {
    double mean = 0, variance = 0;
    for (int64_t j = 0; j < d; ++j) mean += x[j];
    mean /= static_cast<double>(d);
    for (int64_t j = 0; j < d; ++j) variance += (x[j] - mean) * (x[j] - mean);
    variance /= static_cast<double>(d);
    const double inverse = 1 / std::sqrt(variance + epsilon);
    for (int64_t j = 0; j < d; ++j)
      y[j] = static_cast<float>((x[j] - mean) * inverse * scale[j] + shift[j]);
    rows.mean[i] = static_cast<float>(mean);
    rows.inverse[i] = static_cast<float>(inverse);
  }
}

void InputGradient(const float* x, const float* scale, const float* dy, LayerNormRows rows,
                   float* dx, int64_t n, int64_t d) {
  for (int64_t i = 0; i < n; ++i, x += d, dy += d, dx += d) {
    const double mean = rows.mean[i], inverse = rows.inverse[i];
    double u = 0, u_h = 0;  // means over the units
    for (int64_t j = 0; j < d; ++j) {
      u += double{scale[j]} * dy[j];
      u_h += double{scale[j]} * dy[j] * (x[j] - mean) * inverse;
    }
    u /= static_cast<double>(d);
    u_h /= static_cast<double>(d);
    for (int64_t j = 0; j < d; ++j) {
      const double h = (x[j] - mean) * inverse;
      dx[j] = static_cast<float>(inverse * (double{scale[j]} * dy[j] - u - h * u_h));
    }
  }
}

void Backward(Context&, const float* x, const float* scale, const float* dy, LayerNormRows rows,
              LayerNormGradients to, float*, int64_t n, int64_t d) {
  if (to.dx) InputGradient(x, scale, dy, rows, to.dx, n, d);
  for (int64_t j = 0; j < d; ++j) {
    double dscale = 0, dshift = 0;
    for (int64_t i = 0; i < n; ++i) {
      const double h = (double{x[i * d + j]} - rows.mean[i]) * rows.inverse[i];
      dscale += dy[i * d + j] * h;
      dshift += dy[i * d + j];
    }
    to.AddParams(j, dscale, dshift);
  }
}

[[maybe_unused]] const bool registered =
    LayerNormForward.Set(Device::kCpu, Forward) && LayerNormBackward.Set(Device::kCpu, Backward);

// Params: scale, shift: (units). The feature has the source's shape.
class LayerNormLayer final : public Layer {
 public:
  Wiring wiring(const LayerProto&) const override { return {.row_wise = true}; }

  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    RequireUnits(conf, *in[0]);
    epsilon_ = conf.layer_norm_conf().epsilon();
    if (!(epsilon_ > 0))
      throw ConfigError("layer_norm_conf.epsilon", StrCat("must be > 0, is ", epsilon_));
    const Shape& x = in[0]->data.shape();
    n_ = in[0]->data.rows();
    d_ = in[0]->data.row_size();
    scale_ = UnitParam(declare.Param(0, {d_}, 1), x);
    shift_ = UnitParam(declare.Param(1, {d_}, 0), x);
    declare.Uses(LayerNormForward, LayerNormBackward);
    scale_.DeclareUses(&declare);
    rows_ = declare.Buffer({2, n_}, Keep::kForwardToBackward);
    PlaceScratch(&declare);
    out[0]->data.SetShape(x);
  }

  Traits traits() const override { return {.grad_reads_in = true, .on_device = true}; }

  void ComputeFeature(Context& ctx, Phase, Inputs in, Outputs out) override {
    LayerNormForward(ctx, in[0]->data.data(), scale_.Values(ctx, At(ctx, values_)),
                     shift_.Values(ctx, At(ctx, dscale_)), epsilon_, out[0]->data.data(), Rows(),
                     n_, d_);
  }

  void ComputeGradient(Context& ctx, Inputs in, Outputs out) override {
    const LayerNormGradients to = {.dx = in[0]->grad.empty() ? nullptr : in[0]->grad.data(),
                                   .dscale = scale_.Gradient(At(ctx, dscale_)),
                                   .scale_beta = scale_.beta(),
                                   .dshift = shift_.Gradient(At(ctx, dshift_)),
                                   .shift_beta = shift_.beta()};
    LayerNormBackward(ctx, in[0]->data.data(), scale_.Values(ctx, At(ctx, values_)),
                      out[0]->grad.data(), Rows(), to, At(ctx, partial_), n_, d_);
    scale_.AddGradient(ctx, At(ctx, dscale_), At(ctx, values_));
    shift_.AddGradient(ctx, At(ctx, dshift_), At(ctx, values_));
  }

 private:
  // A feature's copy of shift lies in the place of dscale.
  void PlaceScratch(Declare* declare) {
    ScratchLayout scratch;
    values_ = scratch.Add(scale_.room());
    dscale_ = scratch.Add(scale_.room());
    dshift_ = scratch.Add(scale_.room());
    partial_ = scratch.Add(LayerNormBlocks(n_) * 2 * d_ * static_cast<int64_t>(sizeof(float)));
    declare->Scratch(scratch.bytes());
  }
  static float* At(const Context& ctx, int64_t offset) {
    return reinterpret_cast<float*>(static_cast<char*>(ctx.scratch) + offset);
  }
  LayerNormRows Rows() const { return {rows_->data(), rows_->data() + n_}; }

  float epsilon_ = 0;
  int64_t n_ = 0, d_ = 0;
  UnitParam scale_, shift_;
  Tensor* rows_ = nullptr;                                      // [2, n]: LayerNormRows
  int64_t values_ = 0, dscale_ = 0, dshift_ = 0, partial_ = 0;  // offsets in scratch
};

SINGA_REGISTER_LAYER(kLayerNorm, LayerNormLayer);

}  // namespace
}  // namespace singa
