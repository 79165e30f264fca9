// LayerTest is the fixture of layers' tests. Each test runs for every device that is present, with
// plain and with vendor kernels:
//   class ReluTest : public LayerTest {};
//   SINGA_TEST_ON_ALL_DEVICES(ReluTest);
//   TEST_P(ReluTest, GradientMatchesDifferences) { ExpectGradient("type: kReLU", {4, 9}); }
//
// A layer's conf is the text of a LayerProto (name may be missing). Values are in logical row-major
// order, also those of a 4-D feature. All functions throw the errors of the layer.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "singa/base/error.h"
#include "support/built_layer.h"
#include "support/test_device.h"

namespace singa {

struct DeviceCase {
  TestPlace place;
  bool plain;
  std::string Name() const;  // cpu_plain, cpu_vendor, emulated, cuda_plain, cuda_vendor
};
std::vector<DeviceCase> DeviceCases();
inline std::string CaseName(const ::testing::TestParamInfo<DeviceCase>& info) {
  return info.param.Name();
}

using Values = std::vector<float>;

// Returns quarters from -1.25 to 1.25, as pattern of tool/golden/golden.py makes them.
inline Values Pattern(int64_t n, int64_t step) {
  Values values;
  for (int64_t i = 0; i < n; ++i) values.push_back(static_cast<float>((i * step + 3) % 11 - 5) / 4);
  return values;
}

struct RunOptions {
  Phase phase = kTrain;
  int64_t step = 0;
  int worker_group = 0;
  // Values by the param's name or index ("0"). Params that are missing here get N(0, 1/4).
  std::map<std::string, Values> params = {};
};

struct GradientOptions {
  Phase phase = kTrain;
  std::map<std::string, Values> params = {};
  std::optional<float> kink = {};  // elements within 2h of it are not checked
  bool distinct = false;           // inputs without data: shuffled, 4h apart (max pooling)
  double loss_factor = 1;          // factor of metric "loss", if the gradient is not the metric's
  int samples = 200;               // elements checked of each tensor, at most
  double h = 1e-2;
  double relative = 2e-3;  // relative to the larger of the gradient and its tensor's rms
  double absolute = 1e-5;
};

struct RunResult {
  std::vector<Values> outputs, input_grads, param_grads;  // empty Values: it has no gradient
};

class LayerTest : public ::testing::TestWithParam<DeviceCase> {
 protected:
  LayerTest();

  TestDevice device_;
  // Layers run in this context. Change it before the first call.
  Context& ctx_ = device_.ctx;

  // Returns the layer after Setup and Prepare.
  std::unique_ptr<BuiltLayer> Build(const std::string& conf, const std::vector<Input>& inputs);
  std::unique_ptr<BuiltLayer> Build(const std::string& conf, const std::vector<Shape>& shapes);
  std::unique_ptr<BuiltLayer> Build(const std::string& conf, const Shape& shape);

  // Returns the shapes of the layer's params.
  std::vector<Shape> ParamShapes(const std::string& conf, const Shape& shape);

  // Returns outputs[0].
  Values Feature(const std::string& conf, const std::vector<Input>& inputs,
                 const RunOptions& options = {});
  Values Feature(const std::string& conf, const Shape& shape, const Values& x,
                 const RunOptions& options = {});

  // Runs one step forward and backward. `dy`: one for each output; none for a loss.
  RunResult Gradients(const std::string& conf, const std::vector<Input>& inputs,
                      const std::vector<Values>& dy, const RunOptions& options = {});
  RunResult Gradients(const std::string& conf, const Shape& shape, const Values& x,
                      const Values& dy, const RunOptions& options = {});

  // Compares the gradients of all inputs and params with central differences of sum(y r), r random,
  // or of a loss's metric "loss". Checks too that a second contribution adds to params and
  // overwrites inputs, that missing gradients are respected, and in-place use if it is allowed.
  void ExpectGradient(const std::string& conf, const std::vector<Input>& inputs,
                      const GradientOptions& options = {});
  void ExpectGradient(const std::string& conf, const std::vector<Shape>& shapes,
                      const GradientOptions& options = {});
  void ExpectGradient(const std::string& conf, const Shape& shape,
                      const GradientOptions& options = {});

  // Expects every element within tolerance * max(1, |want|). NaN equals NaN.
  static void ExpectNear(const Values& got, const Values& want, double tolerance);
};

// Returns the ConfigError that `f` throws; none if it throws no such error.
template <typename F>
std::optional<ConfigError> ConfigErrorOf(F f) {
  try {
    f();
  } catch (const ConfigError& error) {
    return error;
  }
  return {};
}

::testing::AssertionResult IsConfigError(const std::optional<ConfigError>& error,
                                         const std::string& path, const std::string& text);

#define EXPECT_CONFIG_ERROR(expression, path) EXPECT_CONFIG_ERROR_SAYS(expression, path, "")
// `text` must be a part of the message.
#define EXPECT_CONFIG_ERROR_SAYS(expression, path, text) \
  EXPECT_TRUE(                                           \
      ::singa::IsConfigError(::singa::ConfigErrorOf([&] { (void)(expression); }), path, text))

#define SINGA_TEST_ON_ALL_DEVICES(Fixture)                                                \
  INSTANTIATE_TEST_SUITE_P(Devices, Fixture, ::testing::ValuesIn(::singa::DeviceCases()), \
                           ::singa::CaseName)

}  // namespace singa
