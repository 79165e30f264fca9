// ColumnsConvolution computes a convolution as products with the images' matrices, some images at a
// time.
#pragma once

#include <algorithm>

#include "math/elementwise/elementwise.h"
#include "math/layout/transpose.h"
#include "math/scratch_layout.h"
#include "nn/neuron/convolution_elements.h"
#include "nn/neuron/inner_product.h"
#include "singa/math/gemm.h"

namespace singa {

// each(ctx, n, f) calls f(i) for each i < n, as ForEach of tensor/kernel/launch.cuh does.
template <typename Each>
class ColumnsConvolution final : public ConvolutionPlan {
 public:
  // `most` limits the bytes of a matrix, unless one image needs more.
  ColumnsConvolution(const ConvolutionDesc& desc, int64_t most, Each each = {})
      : d_(desc), each_(each), columns_(desc.window.area() * desc.in.c) {
    const int64_t bytes = d_.out.pixels() * columns_ * kFloat;
    images_ = std::clamp<int64_t>(most / bytes, 1, d_.in.n);
    weights_ = scratch_.Add(d_.weight_size() * kFloat);
    sums_ = scratch_.Add(d_.weight_size() * kFloat);
    matrix_ = scratch_.Add(is_matrix() ? 0 : images_ * bytes);
  }

  const char* name() const override { return "im2col"; }
  int64_t scratch_bytes() const override { return scratch_.bytes(); }

  void Forward(Context& ctx, const float* x, const float* w, const float* b, float* y) override {
    const float* const own_w = ChannelsLast(ctx, w);
    EachPart([&](int64_t n, int64_t images) {
      const float* const matrix = Matrix(ctx, x + n * in_image(), images);
      for (int64_t g = 0; g < d_.groups; ++g)
        Gemm(ctx, images * d_.out.pixels(), d_.filters(), size(), 1,
             {matrix + g * size(), columns_}, Transposed(own_w + g * group_weights(), size()), 0,
             y + n * out_image() + g * d_.filters(), d_.out.c);
    });
    if (b) AddBias(ctx, b, y, d_.out.n * d_.out.pixels(), d_.out.c);
  }

  void BackwardData(Context& ctx, const float* dy, const float* w, float* dx) override {
    const float* const own_w = ChannelsLast(ctx, w);
    EachPart([&](int64_t n, int64_t images) {
      float* const own_dx = dx + n * in_image();
      float* const matrix = is_matrix() ? own_dx : At(ctx, matrix_);
      for (int64_t g = 0; g < d_.groups; ++g)
        Gemm(ctx, images * d_.out.pixels(), size(), d_.filters(), 1,
             {dy + n * out_image() + g * d_.filters(), d_.out.c},
             {own_w + g * group_weights(), size()}, 0, matrix + g * size(), columns_);
      if (is_matrix()) return;
      const ConvolutionDesc d = Part(images);
      if (InFours(own_dx))
        each_(ctx, d.in.size() / 4, ImagesOfColumns<4>{d, matrix, own_dx});
      else
        each_(ctx, d.in.size(), ImagesOfColumns<1>{d, matrix, own_dx});
    });
  }

  void BackwardWeights(Context& ctx, const float* x, const float* dy, float beta, float* dw,
                       float bias_beta, float* db) override {
    if (db) SumBiasGradient(ctx, dy, bias_beta, db, d_.out.n * d_.out.pixels(), d_.out.c);
    float* const own_dw = same_order() ? dw : At(ctx, sums_);
    EachPart([&](int64_t n, int64_t images) {
      const float* const matrix = Matrix(ctx, x + n * in_image(), images);
      const float own_beta = same_order() ? beta : 0;
      for (int64_t g = 0; g < d_.groups; ++g)
        Gemm(ctx, d_.filters(), size(), images * d_.out.pixels(), 1,
             Transposed(dy + n * out_image() + g * d_.filters(), d_.out.c),
             {matrix + g * size(), columns_}, n == 0 ? own_beta : 1, own_dw + g * group_weights(),
             size());
    });
    if (same_order()) return;
    float* const target = beta == 0 ? dw : At(ctx, weights_);
    TransposeEach(ctx, own_dw, target, d_.out.c, d_.window.area(), d_.channels());
    if (beta != 0) AddTo(ctx, target, dw, d_.weight_size());  // beta is 1
  }

 private:
  static constexpr int64_t kFloat = sizeof(float);

  int64_t in_image() const { return d_.in.pixels() * d_.in.c; }
  int64_t out_image() const { return d_.out.pixels() * d_.out.c; }
  // Return the weights of a filter, and of the filters of a group.
  int64_t size() const { return d_.filter_size(); }
  int64_t group_weights() const { return d_.filters() * size(); }
  // Returns whether [f, c, kh kw] and [f, kh kw, c], c of a group, have the same order.
  bool same_order() const { return d_.channels() == 1 || d_.window.area() == 1; }
  // Returns whether an image is its own matrix.
  bool is_matrix() const {
    const WindowSide &y = d_.window.y, &x = d_.window.x;
    return d_.window.area() == 1 && y.stride == 1 && x.stride == 1 && y.pad == 0 && x.pad == 0;
  }
  bool InFours(const float* images) const { return d_.channels() % 4 == 0 && AlignedTo<4>(images); }
  static float* At(const Context& ctx, int64_t offset) {
    return reinterpret_cast<float*>(static_cast<char*>(ctx.scratch) + offset);
  }

  const float* ChannelsLast(Context& ctx, const float* w) const {
    if (same_order()) return w;
    TransposeEach(ctx, w, At(ctx, weights_), d_.out.c, d_.channels(), d_.window.area());
    return At(ctx, weights_);
  }

  ConvolutionDesc Part(int64_t images) const {
    ConvolutionDesc part = d_;
    part.in.n = part.out.n = images;
    return part;
  }

  const float* Matrix(Context& ctx, const float* x, int64_t images) const {
    if (is_matrix()) return x;
    float* const matrix = At(ctx, matrix_);
    const int64_t size = images * d_.out.pixels() * columns_;
    if (InFours(x))
      each_(ctx, size / 4, ColumnsOfImages<4>{Part(images), x, matrix});
    else
      each_(ctx, size, ColumnsOfImages<1>{Part(images), x, matrix});
    return matrix;
  }

  // Calls work(first image, number of images) for all images.
  template <typename Work>
  void EachPart(const Work& work) const {
    for (int64_t n = 0; n < d_.in.n; n += images_) work(n, std::min(images_, d_.in.n - n));
  }

  const ConvolutionDesc d_;
  const Each each_;
  const int64_t columns_;  // groups kh kw c
  int64_t images_ = 1;     // in a matrix
  ScratchLayout scratch_;
  int64_t weights_ = 0, sums_ = 0, matrix_ = 0;  // offsets in Context::scratch
};

}  // namespace singa
