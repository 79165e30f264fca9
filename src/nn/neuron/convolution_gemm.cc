#include "nn/neuron/convolution_gemm.h"

#include <omp.h>

#include <algorithm>
#include <cstring>

#include "math/cpu_dispatch.h"
#include "math/layout/transpose.h"
#include "math/scratch_layout.h"
#include "nn/neuron/inner_product.h"
#include "singa/math/gemm.h"

namespace singa {
namespace {

SINGA_CPU_CLONES void AddFloatsTo(const float* __restrict x, float* __restrict y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] += x[i];
}

class GemmConvolution final : public ConvolutionPlan {
 public:
  GemmConvolution(Context& ctx, const ConvolutionDesc& desc, GradientsByGemm which,
                  std::unique_ptr<ConvolutionPlan> plan)
      : d_(desc),
        which_(which),
        plan_(std::move(plan)),
        columns_(desc.filter_size()),
        threads_(static_cast<int>(std::min<int64_t>(ctx.threads, desc.in.n))) {
    const int64_t image = d_.out.pixels() * columns_;
    group_ = std::clamp<int64_t>(kMatrixElements / image, 1, (d_.in.n + threads_ - 1) / threads_);
    weights_ = scratch_.Add(d_.weight_size() * kFloat);
    matrices_ = scratch_.Add(threads_ * group_ * image * kFloat);
    if (which_.weights) sums_ = scratch_.Add(threads_ * d_.weight_size() * kFloat);
  }

  const char* name() const override { return "oneDNN, gradients by gemm"; }
  int64_t scratch_bytes() const override {
    return std::max(plan_->scratch_bytes(), scratch_.bytes());
  }

  void Forward(Context& ctx, const float* x, const float* w, const float* b, float* y) override {
    plan_->Forward(ctx, x, w, b, y);
  }

  void BackwardData(Context& ctx, const float* dy, const float* w, float* dx) override {
    if (!which_.data) return plan_->BackwardData(ctx, dy, w, dx);
    float* const own_w = At(ctx, weights_);  // [f, kh kw, c]
    TransposeEach(ctx, w, own_w, d_.out.c, d_.in.c, d_.window.area());
    EachGroup(ctx, [&](int64_t n, int64_t images, float* matrix, int) {
      Gemm(ctx, images * d_.out.pixels(), columns_, d_.out.c, 1, {dy + n * out_image(), d_.out.c},
           {own_w, columns_}, 0, matrix, columns_);
      std::fill_n(dx + n * in_image(), images * in_image(), 0.f);
      EachRun(images, [&](int64_t column, int64_t pixel, int64_t size) {
        AddFloatsTo(matrix + column, dx + n * in_image() + pixel, size);
      });
    });
  }

  void BackwardWeights(Context& ctx, const float* x, const float* dy, float beta, float* dw,
                       float bias_beta, float* db) override {
    if (!which_.weights) return plan_->BackwardWeights(ctx, x, dy, beta, dw, bias_beta, db);
    if (db) SumBiasGradient(ctx, dy, bias_beta, db, d_.out.n * d_.out.pixels(), d_.out.c);
    float* const sums = At(ctx, sums_);  // [threads, f, kh kw, c]
    std::fill_n(sums, threads_ * d_.weight_size(), 0.f);
    EachGroup(ctx, [&](int64_t n, int64_t images, float* matrix, int thread) {
      if (d_.window.y.pad > 0 || d_.window.x.pad > 0)
        std::fill_n(matrix, images * d_.out.pixels() * columns_, 0.f);
      EachRun(images, [&](int64_t column, int64_t pixel, int64_t size) {
        std::memcpy(matrix + column, x + n * in_image() + pixel, size * kFloat);
      });
      Gemm(ctx, d_.out.c, columns_, images * d_.out.pixels(), 1,
           Transposed(dy + n * out_image(), d_.out.c), {matrix, columns_}, 1,
           sums + thread * d_.weight_size(), columns_);
    });
    for (int t = 1; t < threads_; ++t)
      AddFloatsTo(sums + t * d_.weight_size(), sums, d_.weight_size());
    float* const target = beta == 0 ? dw : At(ctx, weights_);
    TransposeEach(ctx, sums, target, d_.out.c, d_.window.area(), d_.in.c);
    if (beta != 0) AddFloatsTo(target, dw, d_.weight_size());
  }

 private:
  static constexpr int64_t kMatrixElements = 1 << 17;  // a quarter of a second-level cache
  static constexpr int64_t kFloat = sizeof(float);

  int64_t in_image() const { return d_.in.pixels() * d_.in.c; }
  int64_t out_image() const { return d_.out.pixels() * d_.out.c; }
  static float* At(const Context& ctx, int64_t offset) {
    return reinterpret_cast<float*>(static_cast<char*>(ctx.scratch) + offset);
  }

  // Calls work(first image, number of images, their matrix, thread) for all images. Only the number
  // of images decides which thread gets which images.
  template <typename Work>
  void EachGroup(const Context& ctx, const Work& work) const {
    const int64_t groups = (d_.in.n + group_ - 1) / group_;
    float* const matrices = At(ctx, matrices_);
#pragma omp parallel for schedule(static) num_threads(threads_) if (threads_ > 1)
    for (int64_t g = 0; g < groups; ++g) {
      const int thread = omp_get_thread_num();
      const int64_t n = g * group_;
      work(n, std::min(group_, d_.in.n - n),
           matrices + thread * group_ * d_.out.pixels() * columns_, thread);
    }
  }

  // Calls copy(place in the matrix, place in the images, size) for each run of values that are
  // adjacent in both: the part of the image in one row of a window.
  template <typename Copy>
  void EachRun(int64_t images, const Copy& copy) const {
    const WindowSide &wy = d_.window.y, &wx = d_.window.x;
    int64_t row = 0;  // start of a window's row in the matrix
    for (int64_t n = 0; n < images; ++n)
      for (int64_t oy = 0; oy < d_.out.h; ++oy)
        for (int64_t ox = 0; ox < d_.out.w; ++ox) {
          for (int64_t p = 0; p < wy.kernel; ++p, row += wx.kernel * d_.in.c) {
            const int64_t y = oy * wy.stride - wy.pad + p * wy.dilation;
            if (y >= 0 && y < d_.in.h)
              EachRunOfRow(ox * wx.stride - wx.pad, row, (n * d_.in.h + y) * d_.in.w, copy);
          }
        }
  }

  // Does so for the window's row that begins at pixel x0 of an image's row.
  template <typename Copy>
  void EachRunOfRow(int64_t x0, int64_t row, int64_t image_row, const Copy& copy) const {
    const WindowSide& side = d_.window.x;
    const int64_t c = d_.in.c;
    if (side.dilation == 1) {
      const int64_t begin = std::max<int64_t>(x0, 0), end = std::min(d_.in.w, x0 + side.kernel);
      if (end > begin) copy(row + (begin - x0) * c, (image_row + begin) * c, (end - begin) * c);
      return;
    }
    for (int64_t q = 0; q < side.kernel; ++q) {
      const int64_t x = x0 + q * side.dilation;
      if (x >= 0 && x < d_.in.w) copy(row + q * c, (image_row + x) * c, c);
    }
  }

  const ConvolutionDesc d_;
  const GradientsByGemm which_;
  const std::unique_ptr<ConvolutionPlan> plan_;
  const int64_t columns_;  // kh kw c
  const int threads_;
  int64_t group_;  // images in one matrix
  ScratchLayout scratch_;
  int64_t weights_ = 0, matrices_ = 0, sums_ = 0;  // offsets in Context::scratch
};

}  // namespace

std::unique_ptr<ConvolutionPlan> GemmGradients(Context& ctx, const ConvolutionDesc& desc,
                                               GradientsByGemm which,
                                               std::unique_ptr<ConvolutionPlan> plan) {
  return std::make_unique<GemmConvolution>(ctx, desc, which, std::move(plan));
}

}  // namespace singa
