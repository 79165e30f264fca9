// Tests layers whose products round their factors to 16 bits, with each of a device's kernels.
#include <cmath>

#include "support/layer_test.h"
#include "support/random_values.h"

namespace singa {
namespace precision_layers {

class PrecisionLayersTest : public LayerTest {
 protected:
  RunResult In(Precision precision, const std::string& conf, const Shape& shape, const Values& x,
               const Values& dy, const RunOptions& options = {}) {
    ctx_.precision = precision;
    return Gradients(conf, shape, x, dy, options);
  }

  // Expects that products of numbers with few bits equal those in float32.
  void ExpectExact(const std::string& conf, const Shape& shape, const Shape& out,
                   const std::vector<int64_t>& param_sizes) {
    RunOptions options;
    for (size_t i = 0; i < param_sizes.size(); ++i)
      options.params[std::to_string(i)] = Pattern(param_sizes[i], 5);
    const Values x = Pattern(shape.size(), 7), dy = Pattern(out.size(), 2);
    const RunResult want = In(Precision::kFloat32, conf, shape, x, dy, options);
    const RunResult got = In(Precision::kFloat16, conf, shape, x, dy, options);
    ExpectNear(got.outputs[0], want.outputs[0], 1e-6);
    ExpectNear(got.input_grads[0], want.input_grads[0], 1e-6);
    for (size_t i = 0; i < want.param_grads.size(); ++i)
      ExpectNear(got.param_grads[i], want.param_grads[i], 1e-6);
  }

  // Expects sums of k products within the error of factors of `bits` bits. If the factors are
  // surely rounded, expects that the sums differ.
  void ExpectNearby(Precision precision, int bits, const std::string& conf, const Shape& shape,
                    const Shape& out, int64_t k, bool rounds = true) {
    const Values x = RandomValues("x", shape.size()), dy = RandomValues("dy", out.size());
    const RunResult want = In(Precision::kFloat32, conf, shape, x, dy);
    const RunResult got = In(precision, conf, shape, x, dy);
    const double tolerance = std::ldexp(4, -bits) * std::sqrt(static_cast<double>(k));
    ExpectNear(got.outputs[0], want.outputs[0], tolerance);
    ExpectNear(got.input_grads[0], want.input_grads[0], tolerance);
    ExpectNear(got.param_grads[0], want.param_grads[0], tolerance);
    if (!rounds) return;
    EXPECT_NE(got.outputs[0], want.outputs[0]);
    EXPECT_NE(got.input_grads[0], want.input_grads[0]);
    EXPECT_NE(got.param_grads[0], want.param_grads[0]);
  }
};
SINGA_TEST_ON_ALL_DEVICES(PrecisionLayersTest);

std::string Convolution(int filters, const std::string& window) {
  return StrCat("type: kConvolution param {} param {} convolution_conf { num_filters: ", filters,
                " ", window, " }");
}
constexpr char kInnerProduct[] =
    "type: kInnerProduct param {} param {} innerproduct_conf { num_output: 8 }";

// There are few and many channels, and filters with and without their logical order in memory.
TEST_P(PrecisionLayersTest, ConvolutionLosesNothingOfFewBits) {
  ExpectExact(Convolution(2, "kernel: 3 pad: 1 stride: 2"), {1, 2, 4, 3}, {1, 2, 2, 2}, {36, 2});
  ExpectExact(Convolution(4, "kernel: 1"), {2, 8, 2, 2}, {2, 4, 2, 2}, {32, 4});
  ExpectExact(Convolution(3, "kernel: 2"), {2, 1, 3, 3}, {2, 3, 2, 2}, {12, 3});
}

TEST_P(PrecisionLayersTest, GroupsAndTransposesLoseNothingOfFewBits) {
  ExpectExact(Convolution(4, "group: 2 kernel: 3 pad: 2 dilation: 2"), {1, 4, 4, 3}, {1, 4, 4, 3},
              {72, 4});
  ExpectExact(Convolution(4, "group: 4 kernel: 2"), {2, 4, 3, 3}, {2, 4, 2, 2}, {16, 4});
  ExpectExact(
      "type: kDeconvolution param {} param {} convolution_conf { num_filters: 3 kernel: 2 }",
      {1, 2, 2, 2}, {1, 3, 3, 3}, {24, 3});
}

TEST_P(PrecisionLayersTest, InnerProductLosesNothingOfFewBits) {
  ExpectExact(kInnerProduct, {3, 5}, {3, 8}, {40, 8});
}

TEST_P(PrecisionLayersTest, ConvolutionIsAsPreciseAsItsFactors) {
  const std::string conf = Convolution(8, "kernel: 3 pad: 1");
  ExpectNearby(Precision::kBFloat16, 8, conf, {2, 8, 6, 6}, {2, 8, 6, 6}, 72);
  ExpectNearby(Precision::kFloat16, 11, conf, {2, 8, 6, 6}, {2, 8, 6, 6}, 72);
}

// cuBLAS may round factors, but need not. There are eight outputs, because its 16-bit kernels want
// rows of 16 bytes.
TEST_P(PrecisionLayersTest, InnerProductIsAsPreciseAsItsFactors) {
  const bool rounds = ctx_.device == Device::kCpu || ctx_.plain;
  ExpectNearby(Precision::kBFloat16, 8, kInnerProduct, {32, 64}, {32, 8}, 64, rounds);
  ExpectNearby(Precision::kFloat16, 11, kInnerProduct, {32, 64}, {32, 8}, 64, rounds);
}

}  // namespace precision_layers
}  // namespace singa
