// Compares local response normalisation of a device's threads, run on the host, with the plain
// kernel.
#include "nn/neuron/lrn_elements.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/elements.h"
#include "support/emulated_block.h"
#include "support/random_values.h"

namespace singa {
namespace {

struct LrnRun {
  std::vector<float> y, s, dx;
};

LrnRun PlainLrn(const LrnDesc& d, const std::vector<float>& x, const std::vector<float>& dy) {
  Context ctx;
  ctx.plain = true;
  const auto plan = MakeLrn.Make(ctx, d);
  LrnRun run{std::vector<float>(x.size()), std::vector<float>(x.size()),
             std::vector<float>(x.size())};
  plan->Forward(ctx, x.data(), run.y.data(), run.s.data());
  plan->Backward(ctx, x.data(), dy.data(), run.s.data(), run.dx.data());
  return run;
}

LrnRun LrnByElement(const LrnDesc& d, const std::vector<float>& x, const std::vector<float>& dy,
                    bool tiles) {
  const auto n = static_cast<int64_t>(x.size());
  const float rate = d.alpha / static_cast<float>(d.size);
  LrnRun run{std::vector<float>(x.size()), std::vector<float>(x.size()),
             std::vector<float>(x.size())};
  RunElements(n, LrnElement{x.data(), run.y.data(), run.s.data(), d.shape.c, d.size / 2, d.knorm,
                            rate, d.beta});
  const LrnGradientElement element = {x.data(),  dy.data(),  run.s.data(),      run.dx.data(),
                                      d.shape.c, d.size / 2, 2 * d.beta * rate, d.beta};
  if (!tiles)
    RunElements(n, element);
  else
    RunBlocks((n + kLrnTile - 1) / kLrnTile, 64,
              [tile = LrnGradientTile{element, n}](const HostBlock& block, int64_t i) {
                tile(block, i);
              });
  return run;
}

// The windows have 1 channel, all channels and more than there are. One tile ends within a pixel,
// and one is almost empty.
const LrnDesc kLrnCases[] = {{{2, 3, 3, 5}, 5, 1, 0.75f, 1},
                             {{1, 7, 1, 1}, 1, 0.5f, 0.75f, 2},
                             {{3, 96, 3, 4}, 5, 1e-1f, 0.75f, 1},
                             {{1, 205, 1, 5}, 129, 2, 0.6f, 1.5f},
                             {{1, 1, 1, 1}, 3, 1, 0.75f, 1}};

// Compares a float32 sum of up to 129 squares with float64: 1e-6 times its root.
constexpr double kLrnTolerance = 1e-5;

void ExpectLrn(const std::vector<float>& got, const std::vector<float>& want) {
  for (size_t i = 0; i < want.size(); ++i)
    EXPECT_NEAR(got[i], want[i], kLrnTolerance * std::max(1.f, std::abs(want[i]))) << i;
}

TEST(LrnElementsTest, EqualThePlainKernel) {
  for (const LrnDesc& d : kLrnCases) {
    const std::vector<float> x = RandomValues("x", d.shape.size()),
                             dy = RandomValues("dy", d.shape.size());
    const LrnRun want = PlainLrn(d, x, dy);
    for (bool tiles : {false, true}) {
      const LrnRun got = LrnByElement(d, x, dy, tiles);
      ExpectLrn(got.y, want.y);
      ExpectLrn(got.s, want.s);
      ExpectLrn(got.dx, want.dx);
    }
  }
}

TEST(LrnElementsTest, TilesGiveTheBitsOfElements) {
  for (const LrnDesc& d : kLrnCases) {
    const std::vector<float> x = RandomValues("x", d.shape.size()),
                             dy = RandomValues("dy", d.shape.size());
    EXPECT_EQ(LrnByElement(d, x, dy, true).dx, LrnByElement(d, x, dy, false).dx);
  }
}

TEST(LrnElementsTest, NaNStaysInItsWindow) {
  const LrnDesc d = {{2, 9, 1, 1}, 3, 1, 0.75f, 1};
  std::vector<float> x = RandomValues("x", 18);
  const std::vector<float> dy = RandomValues("dy", 18);
  x[8] = std::nanf("");  // the last channel of pixel 0
  for (bool tiles : {false, true}) {
    const LrnRun run = LrnByElement(d, x, dy, tiles);
    for (size_t i = 0; i < 18; ++i) {
      EXPECT_EQ(std::isnan(run.y[i]), i == 7 || i == 8) << i;
      EXPECT_EQ(std::isnan(run.dx[i]), i >= 6 && i <= 8) << i;  // windows with 7 or 8
    }
  }
}

}  // namespace
}  // namespace singa
