#include "support/layer_test.h"

#include <cmath>

namespace singa {
namespace {

std::vector<Input> WithoutData(const std::vector<Shape>& shapes) {
  std::vector<Input> inputs;
  for (const Shape& shape : shapes) inputs.push_back({.shape = shape});
  return inputs;
}

}  // namespace

std::string DeviceCase::Name() const {
  if (place == TestPlace::kEmulated) return "emulated";
  return StrCat(place == TestPlace::kCuda ? "cuda" : "cpu", plain ? "_plain" : "_vendor");
}

std::vector<DeviceCase> DeviceCases() {
  std::vector<DeviceCase> cases;
  for (const TestPlace place : AllPlaces()) {
    if (place != TestPlace::kEmulated) cases.push_back({place, true});
    cases.push_back({place, false});
  }
  return cases;
}

void PrintTo(const DeviceCase& device, std::ostream* out) { *out << device.Name(); }

LayerTest::LayerTest() : device_(GetParam().place) {
  ctx_.plain = GetParam().plain;
  ctx_.seed = 1;
  ctx_.precision = Precision::kFloat32;
}

std::unique_ptr<BuiltLayer> LayerTest::Build(const std::string& conf,
                                             const std::vector<Input>& inputs) {
  return std::make_unique<BuiltLayer>(ctx_, conf, inputs);
}

std::unique_ptr<BuiltLayer> LayerTest::Build(const std::string& conf,
                                             const std::vector<Shape>& shapes) {
  return Build(conf, WithoutData(shapes));
}

std::unique_ptr<BuiltLayer> LayerTest::Build(const std::string& conf, const Shape& shape) {
  return Build(conf, std::vector<Input>{{.shape = shape}});
}

std::vector<Shape> LayerTest::ParamShapes(const std::string& conf, const Shape& shape) {
  std::vector<Shape> shapes;
  const auto layer = Build(conf, shape);
  for (const Param* param : layer->declare().declared().params) shapes.push_back(param->shape());
  return shapes;
}

Values LayerTest::Feature(const std::string& conf, const std::vector<Input>& inputs,
                          const RunOptions& options) {
  const auto layer = Build(conf, inputs);
  for (const auto& [name, values] : options.params) layer->SetParam(name, values);
  layer->ctx().worker_group = options.worker_group;
  layer->BeginStep(options.step);
  layer->Forward(options.phase);
  return layer->Output();
}

Values LayerTest::Feature(const std::string& conf, const Shape& shape, const Values& x,
                          const RunOptions& options) {
  return Feature(conf, std::vector<Input>{{.shape = shape, .data = x}}, options);
}

RunResult LayerTest::Gradients(const std::string& conf, const std::vector<Input>& inputs,
                               const std::vector<Values>& dy, const RunOptions& options) {
  const auto layer = Build(conf, inputs);
  for (const auto& [name, values] : options.params) layer->SetParam(name, values);
  layer->BeginStep(options.step);
  layer->Forward(options.phase);
  RunResult result;
  for (int k = 0; k < layer->num_outputs(); ++k) result.outputs.push_back(layer->Output(k));
  layer->Backward(dy);
  for (int i = 0; i < layer->num_inputs(); ++i)
    result.input_grads.push_back(layer->InputGradient(i));
  for (size_t i = 0; i < layer->declare().declared().params.size(); ++i)
    result.param_grads.push_back(layer->ParamGradient(static_cast<int>(i)));
  return result;
}

RunResult LayerTest::Gradients(const std::string& conf, const Shape& shape, const Values& x,
                               const Values& dy, const RunOptions& options) {
  return Gradients(conf, std::vector<Input>{{.shape = shape, .data = x}}, std::vector<Values>{dy},
                   options);
}

void LayerTest::ExpectGradient(const std::string& conf, const std::vector<Shape>& shapes,
                               const GradientOptions& options) {
  ExpectGradient(conf, WithoutData(shapes), options);
}

void LayerTest::ExpectGradient(const std::string& conf, const Shape& shape,
                               const GradientOptions& options) {
  ExpectGradient(conf, std::vector<Input>{{.shape = shape}}, options);
}

void LayerTest::ExpectNear(const Values& got, const Values& want, double tolerance) {
  ASSERT_EQ(got.size(), want.size());
  int shown = 0;
  for (size_t i = 0; i < got.size() && shown < 5; ++i) {
    if (got[i] == want[i] || (std::isnan(got[i]) && std::isnan(want[i]))) continue;
    const double error = std::abs(double{got[i]} - want[i]);
    if (error <= tolerance * std::max(1.0, std::abs(double{want[i]}))) continue;
    ADD_FAILURE() << "element " << i << ": got " << got[i] << ", want " << want[i];
    ++shown;
  }
}

::testing::AssertionResult IsConfigError(const std::optional<ConfigError>& error,
                                         const std::string& path, const std::string& text) {
  if (!error) return ::testing::AssertionFailure() << "no ConfigError for " << path;
  if (error->path() != path)
    return ::testing::AssertionFailure() << "the error is at \"" << error->path() << "\", not at \""
                                         << path << "\": " << error->message();
  if (error->message().find(text) == std::string::npos)
    return ::testing::AssertionFailure()
           << "\"" << error->message() << "\" lacks \"" << text << "\"";
  return ::testing::AssertionSuccess();
}

}  // namespace singa
