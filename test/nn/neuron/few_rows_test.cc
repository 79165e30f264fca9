// Compares inner products of few rows with plain ones.
#include "nn/neuron/few_rows.h"

#include <gtest/gtest.h>

#include <vector>

#include "nn/neuron/inner_product.h"
#include "support/expect_close.h"
#include "support/random_values.h"

namespace singa {
namespace {

std::vector<float> FewRows(int64_t n, int64_t h, int64_t v, bool transposed, bool bias,
                           int threads) {
  const std::vector<float> x = RandomValues("x", n * v), w = RandomValues("w", h * v),
                           b = RandomValues("b", h);
  const GemmOperand operand = {w.data(), transposed ? v : h, transposed};
  std::vector<float> y(n * h);
  Context ctx;
  ctx.threads = threads;
  FewRowsProduct(ctx, x.data(), operand, bias ? b.data() : nullptr, y.data(), n, h, v);
  return y;
}

std::vector<float> PlainRows(int64_t n, int64_t h, int64_t v, bool transposed, bool bias) {
  const std::vector<float> x = RandomValues("x", n * v), w = RandomValues("w", h * v),
                           b = RandomValues("b", h);
  std::vector<float> y(n * h), scratch(n * h);
  Context ctx;
  ctx.plain = true;
  InnerProductFeature(ctx, x.data(), {w.data(), transposed ? v : h, transposed},
                      bias ? b.data() : nullptr, y.data(), n, h, v, scratch.data());
  return y;
}

// Outputs around groups of 4, and around the 512 columns that are summed at a time.
TEST(FewRows, EqualPlainProducts) {
  for (const int64_t h : {1, 3, 4, 65, 513})
    for (const int64_t v : {1, 7, 128})
      for (int64_t n = 1; n <= kFewRows; ++n)
        for (const bool transposed : {true, false}) {
          SCOPED_TRACE(testing::Message() << n << " rows of " << v << " to " << h << " numbers"
                                          << (transposed ? ", transposed" : ""));
          const bool bias = n % 2 == 0;
          ExpectClose(FewRows(n, h, v, transposed, bias, 1), PlainRows(n, h, v, transposed, bias),
                      5e-5);
        }
}

TEST(FewRows, ThreadsChangeNoBits) {
  for (const bool transposed : {true, false})
    EXPECT_EQ(FewRows(3, 999, 300, transposed, true, 3), FewRows(3, 999, 300, transposed, true, 1));
}

}  // namespace
}  // namespace singa
