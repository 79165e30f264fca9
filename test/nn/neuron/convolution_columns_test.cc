// Compares the convolution of a device without cuDNN, run on the host, with the plain kernel.
#include "nn/neuron/convolution_columns.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/elements.h"
#include "support/random_values.h"

namespace singa {
namespace {

struct EachOnHost {
  template <typename F>
  void operator()(Context&, int64_t n, const F& f) const {
    RunElements(n, f);
  }
};

struct ConvolutionRun {
  std::vector<float> y, dx, dw, db;
};

ConvolutionRun RunConvolution(Context& ctx, const ConvolutionDesc& d, ConvolutionPlan* plan,
                              float beta) {
  std::vector<char> scratch(plan->scratch_bytes(), static_cast<char>(0xFF));
  ctx.scratch = scratch.data();
  const int64_t weights = d.weight_size();
  const std::vector<float> x = RandomValues("x", d.in.size()), w = RandomValues("w", weights),
                           b = RandomValues("b", d.out.c), dy = RandomValues("dy", d.out.size());
  const float nan = std::nanf("");
  ConvolutionRun run = {std::vector<float>(d.out.size(), nan), std::vector<float>(d.in.size(), nan),
                        RandomValues("dw", weights), RandomValues("db", d.out.c)};
  if (beta == 0) run.dw.assign(weights, nan);
  plan->Forward(ctx, x.data(), w.data(), d.bias ? b.data() : nullptr, run.y.data());
  plan->BackwardData(ctx, dy.data(), w.data(), run.dx.data());
  plan->BackwardWeights(ctx, x.data(), dy.data(), beta, run.dw.data(), 1, run.db.data());
  return run;
}

// Compares float32 sums of up to `terms` products of N(0, 1), added in different orders.
void ExpectConvolution(const std::vector<float>& got, const std::vector<float>& want,
                       int64_t terms) {
  const double tolerance = 2e-6 * std::sqrt(static_cast<double>(terms));
  for (size_t i = 0; i < want.size(); ++i)
    ASSERT_NEAR(got[i], want[i], tolerance * std::max(1.f, std::abs(want[i]))) << i;
}

TEST(ConvolutionColumnsTest, EqualsThePlainKernel) {
  const auto desc = [](const ImageShape& in, int64_t f, const WindowSide& y, const WindowSide& x,
                       bool bias, int64_t groups = 1) {
    return ConvolutionDesc{in, {in.n, f, y.Count(in.h), x.Count(in.w)}, {y, x}, bias, groups};
  };
  const ConvolutionDesc descs[] = {desc({3, 4, 7, 6}, 5, {3, 1, 2}, {2, 0, 1}, true),
                                   desc({2, 3, 5, 9}, 2, {2, 0, 3}, {3, 2, 4}, false),
                                   desc({2, 1, 6, 6}, 3, {3, 2, 1}, {5, 0, 1}, true),
                                   desc({5, 8, 3, 4}, 6, {1, 0, 1}, {1, 0, 1}, true),
                                   desc({2, 4, 5, 7}, 3, {2, 0, 1}, {5, 2, 2}, true),
                                   desc({2, 4, 5, 5}, 3, {1, 0, 2}, {1, 1, 1}, false),
                                   desc({1, 1, 1, 1}, 1, {1, 0, 1}, {1, 0, 1}, true),
                                   desc({3, 8, 9, 7}, 5, {3, 2, 2, 2}, {2, 1, 1, 3}, true),
                                   desc({2, 8, 7, 6}, 4, {3, 1, 2}, {2, 0, 1}, true, 2),
                                   desc({2, 6, 5, 5}, 12, {3, 1, 1}, {3, 1, 1}, true, 6),
                                   desc({2, 9, 4, 3}, 6, {1, 0, 1}, {1, 0, 1}, true, 3),
                                   desc({2, 6, 9, 8}, 3, {2, 1, 3, 4}, {3, 0, 1, 2}, false, 3)};
  for (const ConvolutionDesc& d : descs)
    for (float beta : {0.f, 1.f}) {
      Context ctx;
      ctx.plain = true;
      const auto plain = MakeConvolution.Make(ctx, d);
      const ConvolutionRun want = RunConvolution(ctx, d, plain.get(), beta);
      const int64_t columns = d.in.c * d.window.area();
      const int64_t image = d.out.pixels() * columns * static_cast<int64_t>(sizeof(float));
      for (int64_t most : {int64_t{1}, 2 * image, 100 * image}) {  // images a matrix: 1, 2, all
        ColumnsConvolution<EachOnHost> plan(d, most);
        const ConvolutionRun got = RunConvolution(ctx, d, &plan, beta);
        ExpectConvolution(got.y, want.y, columns);
        ExpectConvolution(got.dx, want.dx, d.out.c * d.window.area());
        ExpectConvolution(got.dw, want.dw, d.out.n * d.out.pixels());
        ExpectConvolution(got.db, want.db, d.out.n * d.out.pixels());
      }
    }
}

}  // namespace
}  // namespace singa
