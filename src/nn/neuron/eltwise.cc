// kEltwise gives, of two or more sources x_i of one shape and number by number:
//   SUM:  y = sum of coeff_i x_i            dx_i = coeff_i dy
//   PROD: y = product of x_i                dx_i = dy times the product of the other sources
//   MAX:  y = the largest x_i               dx_i = dy for the first largest source, else 0
// Equals x_1 + x_2, x_1 * x_2 and torch.maximum. PyTorch divides the gradient of equal largest
// numbers among them.
// The second of two factors of images, (n, c, h, w), may be of (n, c, 1, 1) or (n, c): one number
// for each channel (Hu et al., Squeeze-and-Excitation Networks, arXiv:1709.01507). Its gradient is
// the sum over the pixels.
#include "nn/neuron/eltwise.h"

#include <limits>
#include <vector>

#include "base/text/element_path.h"
#include "math/elementwise/elementwise.h"
#include "nn/neuron/activation.h"
#include "singa/base/error.h"
#include "singa/nn/layer.h"

namespace singa {
namespace {

void Sum(Context&, const float* a, float a_factor, const float* b, float b_factor, float floor,
         float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const float sum = a_factor * a[i] + b_factor * b[i];
    y[i] = sum < floor ? floor : sum;
  }
}

void SumGradient(Context&, const float* y, const float* dy, SummandGradient a, SummandGradient b,
                 int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const float g = y && !(y[i] > 0) ? 0 : dy[i];
    a.dx[i] = a.factor * g;
    if (b.dx) b.dx[i] = b.factor * g;
  }
}

void Larger(Context&, const float* a, const float* b, uint8_t index, float* y, uint8_t* winner,
            int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const bool wins = b[i] > a[i] || b[i] != b[i];
    y[i] = wins ? b[i] : a[i];
    if (wins) winner[i] = index;
    if (!wins && index == 1) winner[i] = 0;
  }
}

void LargerGradient(Context&, const uint8_t* winner, uint8_t index, const float* dy, float* dx,
                    int64_t n) {
  for (int64_t i = 0; i < n; ++i) dx[i] = winner[i] == index ? dy[i] : 0;
}

void TimesChannels(Context&, const float* x, const float* scale, float* y, int64_t n,
                   int64_t pixels, int64_t c) {
  for (int64_t i = 0; i < n; ++i, scale += c)
    for (int64_t p = 0; p < pixels; ++p, x += c, y += c)
      for (int64_t j = 0; j < c; ++j) y[j] = x[j] * scale[j];
}

void TimesChannelsGradient(Context&, const float* x, const float* dy, float* dscale, int64_t n,
                           int64_t pixels, int64_t c) {
  for (int64_t i = 0; i < n; ++i, x += pixels * c, dy += pixels * c)
    for (int64_t j = 0; j < c; ++j) {
      double sum = 0;
      for (int64_t p = 0; p < pixels; ++p) sum += double{x[p * c + j]} * dy[p * c + j];
      dscale[i * c + j] = static_cast<float>(sum);
    }
}

[[maybe_unused]] const bool registered =
    WeightedSum.Set(Device::kCpu, Sum) && WeightedSumGradient.Set(Device::kCpu, SumGradient) &&
    LargerOf.Set(Device::kCpu, Larger) && LargerOfGradient.Set(Device::kCpu, LargerGradient) &&
    ScaleChannels.Set(Device::kCpu, TimesChannels) &&
    ScaleChannelsGradient.Set(Device::kCpu, TimesChannelsGradient);

// Returns whether `shape` has one number for each channel of the images.
bool IsOfChannels(const Shape& shape, const Shape& images) {
  return images.dims() == 4 && (shape.dims() == 2 || shape.dims() == 4) && shape[0] == images[0] &&
         shape[1] == images[1] && shape.size(2) == 1 && !(shape == images);
}

class EltwiseLayer final : public Layer {
 public:
  Wiring wiring(const LayerProto&) const override {
    return {.row_wise = true, .unit_cut = UnitCut::kEach};
  }

  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
    operation_ = conf.eltwise_conf().operation();
    scales_channels_ = operation_ == EltwiseProto::PROD && in.size() == 2 &&
                       IsOfChannels(in[1]->data.shape(), in[0]->data.shape());
    CheckSources(conf, in);
    SetFactors(conf.eltwise_conf(), in.size());
    out[0]->data.SetShape(in[0]->data.shape());
    switch (operation_) {
      case EltwiseProto::SUM:
        declare.Uses(WeightedSum, WeightedSumGradient);
        break;
      case EltwiseProto::PROD:
        if (scales_channels_)
          declare.Uses(ScaleChannels, ScaleChannelsGradient);
        else
          declare.Uses(Multiply);
        break;
      case EltwiseProto::MAX:
        declare.Uses(LargerOf, LargerOfGradient);
        winner_ = declare.Buffer({in[0]->data.size()}, Keep::kForwardToBackward, DType::kU8);
    }
  }

  Traits traits() const override {
    const bool sum = operation_ == EltwiseProto::SUM;
    return {.grad_reads_in = operation_ == EltwiseProto::PROD,
            .grad_reads_out = cuts_negatives_,
            .in_place_with = 0,
            .on_device = true,
            .keeps_constants = sum && !cuts_negatives_};
  }

  bool Fuse(const LayerProto& reader) override {
    if (operation_ != EltwiseProto::SUM || !CutsNegatives(reader)) return false;
    cuts_negatives_ = true;
    return true;
  }

  void ComputeFeature(Context& ctx, Phase, Inputs in, Outputs out) override {
    float* y = out[0]->data.data();
    if (scales_channels_) return ScaleBy(ctx, in[0]->data.data(), *in[1], out[0]->data.shape(), y);
    const int64_t n = out[0]->data.size();
    const float* before = in[0]->data.data();  // the result of all sources before i; then y
    for (size_t i = 1; i < in.size(); ++i) {
      const float* x = in[i]->data.data();
      if (operation_ == EltwiseProto::SUM)
        WeightedSum(ctx, before, i == 1 ? factors_[0] : 1, x, factors_[i],
                    i + 1 == in.size() ? Floor() : kNoFloor, y, n);
      else if (operation_ == EltwiseProto::PROD)
        Multiply(ctx, before, x, y, n);
      else
        LargerOf(ctx, before, x, static_cast<uint8_t>(i), y, winner_->as<uint8_t>(), n);
      before = y;
    }
  }

  // Source 0 comes last, because its gradient may be in the place of dy.
  void ComputeGradient(Context& ctx, Inputs in, Outputs out) override {
    if (operation_ == EltwiseProto::SUM) return ComputeSummands(ctx, in, *out[0]);
    if (scales_channels_) return ComputeScale(ctx, in, *out[0]);
    const float* dy = out[0]->grad.data();
    for (size_t i = in.size(); i-- > 0;) {
      if (in[i]->grad.empty()) continue;
      float* dx = in[i]->grad.data();
      if (operation_ == EltwiseProto::PROD)
        ComputeFactor(ctx, in, i, dy, dx);
      else
        LargerOfGradient(ctx, winner_->as<uint8_t>(), static_cast<uint8_t>(i), dy, dx,
                         out[0]->grad.size());
    }
  }

 private:
  static constexpr float kNoFloor = -std::numeric_limits<float>::infinity();
  static constexpr size_t kMostCompared = 256;  // indices that the buffer of winners can hold

  static std::string NameOf(const LayerProto& conf, size_t i) {
    return i < static_cast<size_t>(conf.srclayers_size()) ? conf.srclayers(static_cast<int>(i))
                                                          : StrCat(i);
  }

  void CheckSources(const LayerProto& conf, Inputs in) const {
    if (in.size() < 2)
      throw ConfigError("srclayers", StrCat("needs at least 2 sources, has ", in.size()));
    if (operation_ == EltwiseProto::MAX && in.size() > kMostCompared)
      throw ConfigError(
          ElementPath("srclayers", kMostCompared),
          StrCat("needs at most ", kMostCompared, " sources for MAX, has ", in.size()));
    const Shape& first = in[0]->data.shape();
    if (scales_channels_) return;
    for (size_t i = 1; i < in.size(); ++i)
      if (const Shape& other = in[i]->data.shape(); !(other == first))
        throw ConfigError(ElementPath("srclayers", i),
                          StrCat("sources must have one shape; \"", NameOf(conf, i),
                                 "\" has the shape ", other.ToString(), ", \"", NameOf(conf, 0),
                                 "\" has ", first.ToString(), HintOn(first, other, in.size())));
  }

  // Returns a hint for the error of two sources that would fit in the other order, or as a PROD.
  std::string HintOn(const Shape& first, const Shape& other, size_t sources) const {
    if (!IsOfChannels(first, other) && !IsOfChannels(other, first)) return "";
    if (operation_ != EltwiseProto::PROD) return "; only PROD takes one number for each channel";
    return sources == 2 ? "; name the images first"
                        : "; a PROD with one number for each channel takes two sources";
  }

  void SetFactors(const EltwiseProto& conf, size_t sources) {
    const auto given = static_cast<size_t>(conf.coeff_size());
    if (given > 0 && operation_ != EltwiseProto::SUM)
      throw ConfigError("eltwise_conf.coeff",
                        StrCat("must not be set with operation ",
                               EltwiseProto::Operation_Name(operation_), ": it is for SUM"));
    if (given > sources)
      throw ConfigError(
          ElementPath("eltwise_conf.coeff", sources),
          StrCat("must be at most one number for each source, ", sources, "; has ", given));
    factors_.assign(sources, 1);
    for (size_t i = 0; i < given; ++i) factors_[i] = conf.coeff(static_cast<int>(i));
  }

  float Floor() const { return cuts_negatives_ ? 0 : kNoFloor; }

  void ComputeSummands(Context& ctx, Inputs in, const Port& out) {
    const float *y = cuts_negatives_ ? out.data.data() : nullptr, *dy = out.grad.data();
    SummandGradient first = {};  // of a pair, if it has a tensor
    for (size_t i = in.size(); i-- > 0;) {
      const SummandGradient one = {factors_[i], in[i]->grad.data()};
      const bool is_there = one.dx == dy && one.factor == 1 && !y;
      if (in[i]->grad.empty() || is_there) continue;
      if (first.dx) WeightedSumGradient(ctx, y, dy, first, one, out.grad.size());
      first = first.dx ? SummandGradient() : one;
    }
    if (first.dx) WeightedSumGradient(ctx, y, dy, first, {}, out.grad.size());
  }

  static void ComputeFactor(Context& ctx, Inputs in, size_t i, const float* dy, float* dx) {
    const float* before = dy;
    for (size_t j = 0; j < in.size(); ++j) {
      if (j == i) continue;
      Multiply(ctx, before, in[j]->data.data(), dx, in[i]->grad.size());
      before = dx;
    }
  }

  static void ScaleBy(Context& ctx, const float* x, const Port& scale, const Shape& images,
                      float* y) {
    ScaleChannels(ctx, x, scale.data.data(), y, images[0], images.size(2), images[1]);
  }

  static void ComputeScale(Context& ctx, Inputs in, const Port& out) {
    const Shape& images = out.data.shape();
    const float* dy = out.grad.data();
    if (!in[1]->grad.empty())
      ScaleChannelsGradient(ctx, in[0]->data.data(), dy, in[1]->grad.data(), images[0],
                            images.size(2), images[1]);
    if (!in[0]->grad.empty()) ScaleBy(ctx, dy, *in[1], images, in[0]->grad.data());
  }

  EltwiseProto::Operation operation_ = EltwiseProto::SUM;
  std::vector<float> factors_;    // one for each source
  bool cuts_negatives_ = false;   // with the work of a kReLU
  bool scales_channels_ = false;  // source 1 has one number for each channel
  Tensor* winner_ = nullptr;
};

SINGA_REGISTER_LAYER(kEltwise, EltwiseLayer);

}  // namespace
}  // namespace singa
