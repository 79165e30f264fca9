// Tests formulas of one element that layers share with a device's threads.
#include <gtest/gtest.h>

#include <vector>

#include "nn/input/mnist.h"
#include "nn/input/mnist_elements.h"
#include "nn/neuron/rbm.h"
#include "nn/neuron/rbm_elements.h"

namespace singa {
namespace {

TEST(RbmElementsTest, SamplesEqualPlain) {
  std::vector<float> p(100), s(100);
  for (int i = 0; i < 100; ++i) {
    p[i] = Philox{1, 2, 3}.Uniform(i);
    s[i] = Philox{4, 5, 6}.Uniform(i);
  }
  p[7] = s[7];
  Context ctx;
  std::vector<float> binary = s, gaussian = s;
  BinarySample(ctx, p.data(), binary.data(), 100);
  GaussianSample(ctx, p.data(), gaussian.data(), 100);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(BinarySampleOf()(p[i], s[i]), binary[i]);
    EXPECT_EQ(GaussianSampleOf()(p[i], s[i]), gaussian[i]);
  }
  EXPECT_EQ(binary[7], 0);
}

TEST(MnistElementsTest, DividesAndSubtracts) {
  const std::vector<float> x = {0, 1, 127, 255};
  std::vector<float> y(4);
  Context ctx;
  DivideSubtract(ctx, x.data(), y.data(), 4, 127.5f, 1);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(DivideSubtractOf({127.5f, 1})(x[i]), y[i]);
  EXPECT_EQ(y[0], -1);
  EXPECT_EQ(y[3], 1);
}

}  // namespace
}  // namespace singa
