#include "nn/neuron/convolution_gemm.h"

#include <omp.h>

#include <algorithm>
#include <cstring>

#include "base/thread/first_failure.h"
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

class ProductsPlan final : public ConvolutionPlan {
 public:
  // A null `plan` leaves everything to Gemm.
  ProductsPlan(Context& ctx, const ConvolutionDesc& desc, GradientsByGemm which,
               std::unique_ptr<ConvolutionPlan> plan, const char* name)
      : d_(desc),
        which_(which),
        plan_(std::move(plan)),
        name_(name),
        columns_(desc.filter_size()),
        threads_(static_cast<int>(std::min<int64_t>(ctx.threads, desc.in.n))) {
    const int64_t row = d_.out.w * columns_, image = d_.out.h * row;
    images_ = std::clamp<int64_t>(kMatrixElements / image, 1, (d_.in.n + threads_ - 1) / threads_);
    rows_ = plan_ ? d_.out.h : std::clamp<int64_t>(kMatrixElements / row, 1, d_.out.h);
    matrix_size_ = images_ * rows_ * row;
    weights_ = scratch_.Add(d_.weight_size() * kFloat);
    matrices_ = scratch_.Add(threads_ * matrix_size_ * kFloat);
    if (which_.weights) sums_ = scratch_.Add(threads_ * d_.weight_size() * kFloat);
  }

  const char* name() const override { return name_; }
  int64_t scratch_bytes() const override {
    return std::max(plan_ ? plan_->scratch_bytes() : 0, scratch_.bytes());
  }

  void Forward(Context& ctx, const float* x, const float* w, const float* b, float* y) override {
    if (plan_) return plan_->Forward(ctx, x, w, b, y);
    const float* const own_w = OrderedWeights(ctx, w);
    EachBlock(ctx, [&](const Block& block, float* matrix, int) {
      float* const own_y = y + FirstOutput(block);
      for (int64_t g = 0; g < d_.groups; ++g) {
        FillMatrix(block, g, x, matrix);
        Gemm(ctx, Pixels(block), d_.filters(), columns_, 1, {matrix, columns_},
             Transposed(own_w + g * group_weights(), columns_), 0, own_y + g * d_.filters(),
             d_.out.c);
      }
      if (b) AddBias(ctx, b, own_y, Pixels(block), d_.out.c);
    });
  }

  void BackwardData(Context& ctx, const float* dy, const float* w, float* dx) override {
    if (!which_.data) return plan_->BackwardData(ctx, dy, w, dx);
    const float* const own_w = OrderedWeights(ctx, w);
    EachBlock(ctx, [&](const Block& block, float* matrix, int) {
      const float* const own_dy = dy + FirstOutput(block);
      if (block.row == 0)
        std::fill_n(dx + block.image * in_image(), block.images * in_image(), 0.f);
      for (int64_t g = 0; g < d_.groups; ++g) {
        Gemm(ctx, Pixels(block), columns_, d_.filters(), 1, {own_dy + g * d_.filters(), d_.out.c},
             {own_w + g * group_weights(), columns_}, 0, matrix, columns_);
        EachRun(block, g, [&](int64_t column, int64_t pixel, int64_t size) {
          AddFloatsTo(matrix + column, dx + pixel, size);
        });
      }
    });
  }

  void BackwardWeights(Context& ctx, const float* x, const float* dy, float beta, float* dw,
                       float bias_beta, float* db) override {
    if (!which_.weights) return plan_->BackwardWeights(ctx, x, dy, beta, dw, bias_beta, db);
    if (db) SumBiasGradient(ctx, dy, bias_beta, db, d_.out.n * d_.out.pixels(), d_.out.c);
    float* const sums = At(ctx, sums_);  // [threads, f, kh kw, c]
    std::fill_n(sums, threads_ * d_.weight_size(), 0.f);
    EachBlock(ctx, [&](const Block& block, float* matrix, int thread) {
      const float* const own_dy = dy + FirstOutput(block);
      for (int64_t g = 0; g < d_.groups; ++g) {
        FillMatrix(block, g, x, matrix);
        Gemm(ctx, d_.filters(), columns_, Pixels(block), 1,
             Transposed(own_dy + g * d_.filters(), d_.out.c), {matrix, columns_}, 1,
             sums + thread * d_.weight_size() + g * group_weights(), columns_);
      }
    });
    for (int t = 1; t < threads_; ++t)
      AddFloatsTo(sums + t * d_.weight_size(), sums, d_.weight_size());
    float* const target = beta == 0 ? dw : At(ctx, weights_);
    TransposeEach(ctx, sums, target, d_.out.c, d_.window.area(), d_.channels());
    if (beta != 0) AddFloatsTo(target, dw, d_.weight_size());
  }

 private:
  static constexpr int64_t kMatrixElements = 1 << 17;  // a quarter of a second-level cache
  static constexpr int64_t kFloat = sizeof(float);

  // The pixels of y that a matrix is for: rows [row, row + rows) of some images. Only a block of
  // one image may lack rows.
  struct Block {
    int64_t image, images, row, rows;
  };

  int64_t in_image() const { return d_.in.pixels() * d_.in.c; }
  int64_t group_weights() const { return d_.filters() * columns_; }
  int64_t Pixels(const Block& block) const { return block.images * block.rows * d_.out.w; }
  int64_t FirstOutput(const Block& block) const {
    return (block.image * d_.out.h + block.row) * d_.out.w * d_.out.c;
  }
  static float* At(const Context& ctx, int64_t offset) {
    return reinterpret_cast<float*>(static_cast<char*>(ctx.scratch) + offset);
  }

  // Returns the weights as [f, kh kw, c], in scratch.
  const float* OrderedWeights(Context& ctx, const float* w) const {
    float* const own_w = At(ctx, weights_);
    TransposeEach(ctx, w, own_w, d_.out.c, d_.channels(), d_.window.area());
    return own_w;
  }

  // Calls work(block, its matrix, thread) for all images; one thread has all blocks of an image, in
  // order. Only the number of images decides which thread gets which images. Throws what work
  // throws.
  template <typename Work>
  void EachBlock(const Context& ctx, const Work& work) const {
    const int64_t groups = (d_.in.n + images_ - 1) / images_;
    float* const matrices = At(ctx, matrices_);
    FirstFailure failure;
#pragma omp parallel for schedule(static) num_threads(threads_) if (threads_ > 1)
    for (int64_t g = 0; g < groups; ++g) {
      const int thread = omp_get_thread_num();
      const int64_t first = g * images_, images = std::min(images_, d_.in.n - first);
      try {
        for (int64_t row = 0; row < d_.out.h; row += rows_)
          work(Block{first, images, row, std::min(rows_, d_.out.h - row)},
               matrices + thread * matrix_size_, thread);
      } catch (...) {
        failure.Keep();
      }
    }
    failure.Throw();
  }

  // Fills the matrix with the windows of the channels of group g.
  void FillMatrix(const Block& block, int64_t g, const float* x, float* matrix) const {
    if (d_.window.y.pad > 0 || d_.window.x.pad > 0)
      std::fill_n(matrix, Pixels(block) * columns_, 0.f);
    EachRun(block, g, [&](int64_t column, int64_t pixel, int64_t size) {
      std::memcpy(matrix + column, x + pixel, size * kFloat);
    });
  }

  // Calls copy(place in the matrix, place in the images, size) for each run of values that are
  // adjacent in both: the part of the image in one row of a window.
  template <typename Copy>
  void EachRun(const Block& block, int64_t g, const Copy& copy) const {
    const WindowSide &wy = d_.window.y, &wx = d_.window.x;
    int64_t row = 0;  // start of a window's row in the matrix
    for (int64_t n = block.image; n < block.image + block.images; ++n)
      for (int64_t oy = block.row; oy < block.row + block.rows; ++oy)
        for (int64_t ox = 0; ox < d_.out.w; ++ox) {
          for (int64_t p = 0; p < wy.kernel; ++p, row += wx.kernel * d_.channels()) {
            const int64_t y = oy * wy.stride - wy.pad + p * wy.dilation;
            if (y >= 0 && y < d_.in.h)
              EachRunOfRow(ox * wx.stride - wx.pad, row, (n * d_.in.h + y) * d_.in.w, g, copy);
          }
        }
  }

  // Does so for the window's row that begins at pixel x0 of an image's row.
  template <typename Copy>
  void EachRunOfRow(int64_t x0, int64_t row, int64_t image_row, int64_t g, const Copy& copy) const {
    const WindowSide& side = d_.window.x;
    const int64_t c = d_.channels();
    if (side.dilation == 1 && d_.groups == 1) {
      const int64_t begin = std::max<int64_t>(x0, 0), end = std::min(d_.in.w, x0 + side.kernel);
      if (end > begin) copy(row + (begin - x0) * c, (image_row + begin) * c, (end - begin) * c);
      return;
    }
    for (int64_t q = 0; q < side.kernel; ++q) {
      const int64_t x = x0 + q * side.dilation;
      if (x >= 0 && x < d_.in.w) copy(row + q * c, (image_row + x) * d_.in.c + g * c, c);
    }
  }

  const ConvolutionDesc d_;
  const GradientsByGemm which_;
  const std::unique_ptr<ConvolutionPlan> plan_;
  const char* const name_;
  const int64_t columns_;  // kh kw, and the channels of a group
  const int threads_;
  int64_t images_, rows_, matrix_size_;  // of one matrix
  ScratchLayout scratch_;
  int64_t weights_ = 0, matrices_ = 0, sums_ = 0;  // offsets in Context::scratch
};

}  // namespace

std::unique_ptr<ConvolutionPlan> GemmGradients(Context& ctx, const ConvolutionDesc& desc,
                                               GradientsByGemm which,
                                               std::unique_ptr<ConvolutionPlan> plan) {
  return std::make_unique<ProductsPlan>(ctx, desc, which, std::move(plan),
                                        "oneDNN, gradients by gemm");
}

std::unique_ptr<ConvolutionPlan> GemmConvolution(Context& ctx, const ConvolutionDesc& desc,
                                                 const char* library) {
  return std::make_unique<ProductsPlan>(ctx, desc, GradientsByGemm{true, true}, nullptr, library);
}

}  // namespace singa
