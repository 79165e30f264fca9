// Tests the vector kernel of local response normalisation: threads, windows, and the power.
// lrn_test compares it with the plain kernel.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "nn/neuron/lrn.h"
#include "support/random_values.h"

namespace singa::lrn_vector {
namespace {

using Numbers = std::vector<float>;

struct Normalised {
  std::string kernel;
  Numbers y, dx;
};

Normalised Normalise(const LrnDesc& d, const Numbers& x, const Numbers& dy, bool plain = false,
                     int threads = 1) {
  Context ctx;
  ctx.plain = plain;
  ctx.threads = threads;
  const auto plan = MakeLrn.Make(ctx, d);
  std::vector<char> scratch(static_cast<size_t>(plan->scratch_bytes())),
      kept(static_cast<size_t>(plan->kept_bytes()));
  ctx.scratch = scratch.data();
  Normalised run{plan->name(), Numbers(x.size()), Numbers(x.size())};
  plan->Forward(ctx, x.data(), run.y.data(), kept.data());
  plan->Backward(ctx, x.data(), dy.data(), kept.data(), run.dx.data());
  return run;
}

void ExpectClose(const Numbers& got, const Numbers& want) {
  for (size_t i = 0; i < want.size(); ++i)
    EXPECT_NEAR(got[i], want[i], 1e-5 * std::max(1.f, std::abs(want[i]))) << i;
}

TEST(LrnVector, AWindowThatIsWiderThanTheChannelsSumsThemAll) {
  const LrnDesc d = {{2, 3, 2, 1}, 7, 2, 0.75f, 1};
  const Numbers x = RandomValues("x", d.shape.size()), dy = RandomValues("dy", d.shape.size());
  const Normalised plain = Normalise(d, x, dy, true), vector = Normalise(d, x, dy);
  EXPECT_EQ(vector.kernel, "vector");
  ExpectClose(vector.y, plain.y);
  ExpectClose(vector.dx, plain.dx);
}

TEST(LrnVector, AnyPowerAgreesWithThePlainKernel) {
  for (const float beta : {0.f, 0.5f, 0.75f, 1.25f}) {
    const LrnDesc d = {{1, 19, 2, 2}, 3, 2, beta, 1.5f};
    const Numbers x = RandomValues("x", d.shape.size()), dy = RandomValues("dy", d.shape.size());
    const Normalised plain = Normalise(d, x, dy, true), vector = Normalise(d, x, dy);
    ExpectClose(vector.y, plain.y);
    ExpectClose(vector.dx, plain.dx);
  }
}

TEST(LrnVector, ThreadsChangeNoBit) {
  const LrnDesc d = {{7, 33, 40, 20}, 5, 1, 0.75f, 1};
  const Numbers x = RandomValues("x", d.shape.size()), dy = RandomValues("dy", d.shape.size());
  const Normalised one = Normalise(d, x, dy), three = Normalise(d, x, dy, false, 3);
  EXPECT_EQ(three.y, one.y);
  EXPECT_EQ(three.dx, one.dx);
}

// The first pixel's last channel is NaN. The scratch memory of its squares serves the next pixel,
// too.
TEST(LrnVector, ANumberThatIsNoneStaysInItsWindow) {
  const LrnDesc d = {{1, 9, 1, 2}, 3, 1, 0.75f, 1};
  Numbers x = RandomValues("x", 18);
  x[8] = std::numeric_limits<float>::quiet_NaN();
  const Normalised run = Normalise(d, x, RandomValues("dy", 18));
  for (size_t i = 0; i < 18; ++i) {
    EXPECT_EQ(std::isnan(run.y[i]), i == 7 || i == 8) << i;
    EXPECT_EQ(std::isnan(run.dx[i]), i >= 6 && i <= 8) << i;
  }
}

}  // namespace
}  // namespace singa::lrn_vector
