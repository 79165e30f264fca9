// The plain convolution: each image becomes a matrix with a row per output pixel and a column per
// weight of a filter of each group (im2col); the rest is Gemm, group by group.
#include "nn/neuron/convolution.h"
#include "nn/neuron/inner_product.h"
#include "singa/math/gemm.h"

namespace singa {
namespace {

class PlainConvolution final : public ConvolutionPlan {
 public:
  explicit PlainConvolution(const ConvolutionDesc& desc)
      : d_(desc), columns_(desc.in.c * desc.window.area()) {}

  const char* name() const override { return "im2col"; }
  int64_t scratch_bytes() const override {
    return d_.out.pixels() * columns_ * static_cast<int64_t>(sizeof(float));
  }

  void Forward(Context& ctx, const float* x, const float* w, const float* b, float* y) override {
    float* const matrix = static_cast<float*>(ctx.scratch);
    for (int64_t n = 0; n < d_.in.n; ++n, x += in_image(), y += out_image()) {
      VisitMatrix([&](int64_t i, int64_t pixel) { matrix[i] = pixel < 0 ? 0 : x[pixel]; });
      for (int64_t g = 0; g < d_.groups; ++g)
        Gemm(ctx, d_.out.pixels(), d_.filters(), size(), 1, {matrix + g * size(), columns_},
             Transposed(w + g * group_weights(), size()), 0, y + g * d_.filters(), d_.out.c);
      if (b) AddBias(ctx, b, y, d_.out.pixels(), d_.out.c);
    }
  }

  void BackwardData(Context& ctx, const float* dy, const float* w, float* dx) override {
    float* const matrix = static_cast<float*>(ctx.scratch);
    for (int64_t n = 0; n < d_.in.n; ++n, dx += in_image(), dy += out_image()) {
      for (int64_t g = 0; g < d_.groups; ++g)
        Gemm(ctx, d_.out.pixels(), size(), d_.filters(), 1, {dy + g * d_.filters(), d_.out.c},
             {w + g * group_weights(), size()}, 0, matrix + g * size(), columns_);
      std::fill_n(dx, in_image(), 0.f);
      VisitMatrix([&](int64_t i, int64_t pixel) {
        if (pixel >= 0) dx[pixel] += matrix[i];
      });
    }
  }

  void BackwardWeights(Context& ctx, const float* x, const float* dy, float beta, float* dw,
                       float bias_beta, float* db) override {
    if (db) SumBiasGradient(ctx, dy, bias_beta, db, d_.out.n * d_.out.pixels(), d_.out.c);
    float* const matrix = static_cast<float*>(ctx.scratch);
    for (int64_t n = 0; n < d_.in.n; ++n, x += in_image(), dy += out_image()) {
      VisitMatrix([&](int64_t i, int64_t pixel) { matrix[i] = pixel < 0 ? 0 : x[pixel]; });
      for (int64_t g = 0; g < d_.groups; ++g)
        Gemm(ctx, d_.filters(), size(), d_.out.pixels(), 1,
             Transposed(dy + g * d_.filters(), d_.out.c), {matrix + g * size(), columns_},
             n == 0 ? beta : 1, dw + g * group_weights(), size());
    }
  }

 private:
  int64_t in_image() const { return d_.in.pixels() * d_.in.c; }
  int64_t out_image() const { return d_.out.pixels() * d_.out.c; }
  // Return the weights of a filter, and of the filters of a group.
  int64_t size() const { return d_.filter_size(); }
  int64_t group_weights() const { return d_.filters() * size(); }

  // Calls visit(i, pixel) for each element i of the [oh ow, c kh kw] matrix of an image. `pixel` is
  // the index of that element in the image [h, w, c]; -1: padding.
  template <typename Visit>
  void VisitMatrix(const Visit& visit) const {
    const Window& win = d_.window;
    int64_t i = 0;
    for (int64_t oy = 0; oy < d_.out.h; ++oy)
      for (int64_t ox = 0; ox < d_.out.w; ++ox)
        for (int64_t c = 0; c < d_.in.c; ++c)
          for (int64_t p = 0; p < win.y.kernel; ++p)
            for (int64_t q = 0; q < win.x.kernel; ++q, ++i) {
              const int64_t y = oy * win.y.stride - win.y.pad + p * win.y.dilation;
              const int64_t x = ox * win.x.stride - win.x.pad + q * win.x.dilation;
              const bool inside = y >= 0 && y < d_.in.h && x >= 0 && x < d_.in.w;
              visit(i, inside ? (y * d_.in.w + x) * d_.in.c + c : -1);
            }
  }

  const ConvolutionDesc d_;
  const int64_t columns_;  // c kh kw
};

std::unique_ptr<ConvolutionPlan> Make(Context&, const ConvolutionDesc& desc) {
  return std::make_unique<PlainConvolution>(desc);
}

[[maybe_unused]] const bool registered = MakeConvolution.Set(Device::kCpu, Make);

}  // namespace
}  // namespace singa
