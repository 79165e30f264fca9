#include "support/built_layer.h"

#include <glog/logging.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <span>
#include <stdexcept>

#include "singa/base/str_cat.h"
#include "support/random_values.h"

namespace singa {
namespace {

// Calls f(logical index, stored index) for every element.
template <typename F>
void ForEachElement(const Shape& s, F f) {
  if (s.dims() != 4) {
    for (int64_t i = 0; i < s.size(); ++i) f(i, i);
    return;
  }
  int64_t logical = 0;
  for (int64_t n = 0; n < s[0]; ++n)
    for (int64_t c = 0; c < s[1]; ++c)
      for (int64_t h = 0; h < s[2]; ++h)
        for (int64_t w = 0; w < s[3]; ++w) f(logical++, ((n * s[2] + h) * s[3] + w) * s[1] + c);
}

}  // namespace

std::vector<float> ToLogical(const Tensor& feature) {
  std::vector<float> values(feature.size());
  ForEachElement(feature.shape(), [&](int64_t l, int64_t s) { values[l] = feature.data()[s]; });
  return values;
}

void FromLogical(const std::vector<float>& values, Tensor* feature) {
  CHECK_EQ(static_cast<int64_t>(values.size()), feature->size()) << "values of the wrong number";
  ForEachElement(feature->shape(), [&](int64_t l, int64_t s) { feature->data()[s] = values[l]; });
}

BuiltLayer::BuiltLayer(const Context& ctx, const std::string& conf,
                       const std::vector<Input>& inputs)
    : ctx_(ctx), inputs_(inputs) {
  ctx_.state = &state_;
  ctx_.trace = &trace_;
  ctx_.choices = &plans_;
  conf_.set_name("layer");
  google::protobuf::TextFormat::Parser parser;
  parser.AllowPartialMessage(true);
  LayerProto given;
  CHECK(parser.ParseFromString(conf, &given)) << conf;
  conf_.MergeFrom(given);
  MakePorts(inputs);
  layer_ = MakeLayer(conf_);
  wiring_ = layer_->wiring(conf_);
  out_ports_.resize(wiring_.num_outputs + wiring_.state_outputs);
  for (Port& port : out_ports_) out_.push_back(&port);
  LayerPlace place;
  if (conf_.include_size() > 0) place.phase = conf_.include(0);
  declare_ = std::make_unique<Declare>(conf_, &table_, place);
  layer_->Setup(conf_, *declare_, in_, out_);
  traits_ = layer_->traits();
  if (!traits_.on_device) GoToHost();
  for (Port& port : out_ports_) {
    CHECK_GT(port.data.shape().dims(), 0) << "the layer set no output shape";
    port.data.shape().Check();
    port.grad.SetShape(port.data.shape());
    if (port.span.rows == 0 && !in_.empty()) port.span = in_[0]->span;
    if (port.span.rows == 0) port.span.rows = port.span.batch = port.data.shape()[0];
  }
  layer_->Prepare(ctx_, *declare_, in_, out_);
}

void BuiltLayer::MakePorts(const std::vector<Input>& inputs) {
  for (const Input& input : inputs) {
    Port& port = in_ports_.emplace_back();
    in_.push_back(&port);
    port.data.SetShape(input.shape);
    port.grad.SetShape(input.shape);
    if (!input.labels.empty())
      port.label.SetShape({static_cast<int64_t>(input.labels.size())}, DType::kI32);
    port.span = input.span;
    if (port.span.rows == 0) port.span = {0, input.shape[0], input.shape[0]};
  }
}

void BuiltLayer::GoToHost() {
  ctx_.device = Device::kCpu;
  ctx_.stream = nullptr;
}

std::vector<float> BuiltLayer::Logical(const Tensor& feature) const {
  Tensor host = Tensor::Allocate(feature.shape());
  const std::vector<float> values = memory_.Read(feature);
  std::copy(values.begin(), values.end(), host.data());
  return ToLogical(host);
}

void BuiltLayer::SetLogical(const std::vector<float>& values, Tensor* feature) const {
  Tensor host = Tensor::Allocate(feature->shape());
  FromLogical(values, &host);
  memory_.Write(host.data(), feature);
}

// A layer that checks its input on the host gets a port with the host's memory alone.
void BuiltLayer::AllocateInput(int i) {
  Port &port = in_ports_[i], &checked = checked_ports_[i];
  port.data = memory_.Allocate(port.data.shape());
  if (inputs_[i].gradient && wiring_.differentiable)
    port.grad = memory_.Allocate(port.grad.shape());
  if (inputs_[i].data.empty()) inputs_[i].data = RandomValues(StrCat("x", i), port.data.size());
  if (port.has_label()) port.label = memory_.Allocate(port.label.shape(), DType::kI32);
  const bool looks = traits_.checks >> i & 1;
  if (looks) checked.data = Tensor::Allocate(port.data.shape());
  if (!port.has_label()) return;
  memory_.Write(inputs_[i].labels.data(), &port.label);
  if (!looks) return;
  checked.label = Tensor::Allocate(port.label.shape(), DType::kI32);
  std::copy(inputs_[i].labels.begin(), inputs_[i].labels.end(), checked.label.as<int32_t>());
}

void BuiltLayer::Allocate() {
  if (allocated_) return;
  allocated_ = true;
  device_state_ = memory_.Allocate({sizeof(StepState)}, DType::kU8);
  if (ctx_.stream) ctx_.device_state = device_state_.as<StepState>();
  for (int i = 0; i < num_inputs(); ++i) {
    checked_.push_back(&checked_ports_.emplace_back());
    AllocateInput(i);
  }
  for (Port& port : out_ports_) {
    port.data = memory_.Allocate(port.data.shape());
    if (wiring_.differentiable && !traits_.originates_gradient)
      port.grad = memory_.Allocate(port.grad.shape());
    if (port.has_label()) port.label = memory_.Allocate(port.label.shape(), DType::kI32);
  }
  if (shares_feature_) out_ports_[0].data.Bind(in_ports_[traits_.in_place_with].data.data());
  if (shares_gradient_) {
    Port& source = in_ports_[traits_.in_place_with];
    if (!source.grad.empty() && !out_ports_[0].grad.empty())
      out_ports_[0].grad.Bind(source.grad.data());
  }
  for (Param* param : declare_->declared().params) {
    param->data = memory_.Allocate(param->shape());
    if (param->trains()) param->grad = memory_.Allocate(param->shape());
    std::vector<float> values = RandomValues(param->name(), param->size());
    for (float& value : values) value /= 2;
    memory_.Write(values.data(), &param->data);
  }
  for (Buffer& buffer : declare_->declared().buffers)
    buffer.tensor = memory_.Allocate(buffer.tensor.shape(), buffer.tensor.type());
  std::deque<Metric>& metrics = declare_->declared().metrics;
  if (!metrics.empty()) metric_cells_ = memory_.Allocate({std::ssize(metrics), 2}, DType::kF64);
  for (int64_t i = 0; i < std::ssize(metrics); ++i)
    metrics[i].cell.Bind(metric_cells_.as<double>() + 2 * i);
  scratch_ = memory_.Allocate({declare_->declared().scratch}, DType::kU8);
  ctx_.scratch = scratch_.as<uint8_t>();
  layer_->Open(ctx_);
}

Param& BuiltLayer::param(const std::string& name_or_index) {
  Allocate();
  const std::vector<Param*>& params = declare_->declared().params;
  for (size_t i = 0; i < params.size(); ++i)
    if (params[i]->name() == name_or_index || std::to_string(i) == name_or_index) return *params[i];
  throw std::logic_error("the layer has no param " + name_or_index);
}

void BuiltLayer::SetParam(const std::string& name_or_index, const std::vector<float>& values) {
  Tensor& data = param(name_or_index).data;
  CHECK_EQ(static_cast<int64_t>(values.size()), data.size()) << "param " << name_or_index;
  memory_.Write(values.data(), &data);
}

void BuiltLayer::DropInputGradients() {
  for (Input& input : inputs_) input.gradient = false;
  for (Port& port : in_ports_) {
    port.grad = Tensor();
    port.grad.SetShape(port.data.shape());
  }
}

void BuiltLayer::DropParamGradients() {
  Allocate();
  for (Param* param : declare_->declared().params) {
    param->grad = Tensor();
    param->grad.SetShape(param->shape());
  }
}

std::vector<float> BuiltLayer::ParamData(const std::string& name_or_index) {
  return memory_.Read(param(name_or_index).data);
}

std::vector<float> BuiltLayer::Output(int k) const { return Logical(out_ports_[k].data); }

std::vector<float> BuiltLayer::InputGradient(int i) const {
  return in_ports_[i].grad.empty() ? std::vector<float>() : Logical(in_ports_[i].grad);
}

std::vector<float> BuiltLayer::ParamGradient(int i) const {
  const Tensor& grad = declare_->declared().params[i]->grad;
  return grad.empty() ? std::vector<float>() : memory_.Read(grad);
}

double BuiltLayer::metric(const std::string& name) {
  const std::deque<Metric>& metrics = declare_->declared().metrics;
  for (int64_t i = 0; i < std::ssize(metrics); ++i) {
    if (metrics[i].name != name) continue;
    const std::vector<double> cells = memory_.Read<double>(metric_cells_);
    if (metrics[i].value)
      return metrics[i].value(std::span(cells).subspan(2 * i, 2 * metrics[i].parts));
    return cells[2 * i] / cells[2 * i + 1];
  }
  throw std::logic_error("the layer has no metric " + name);
}

void BuiltLayer::BeginStep(int64_t step) {
  Allocate();
  state_.step = step;
  memory_.Write(&state_, &device_state_);
  for (Param* param : declare_->declared().params) {
    param->BeginStep();
    memory_.Poison(&param->grad);
  }
  for (Buffer& buffer : declare_->declared().buffers)
    if (buffer.keep != Keep::kForever) memory_.Poison(&buffer.tensor);
  if (!metric_cells_.empty()) ZeroBytes(ctx_, metric_cells_.as<double>(), metric_cells_.bytes());
}

void BuiltLayer::Forward(Phase phase) {
  for (Port& port : out_ports_) memory_.Poison(&port.data);
  for (int i = 0; i < num_inputs(); ++i) {
    SetLogical(inputs_[i].data, &in_ports_[i].data);
    if (!checked_ports_[i].data.empty()) FromLogical(inputs_[i].data, &checked_ports_[i].data);
  }
  memory_.Poison(&scratch_);
  if (traits_.checks) layer_->CheckInputs(phase, checked_);
  layer_->ComputeFeature(ctx_, phase, in_, out_);
}

void BuiltLayer::Backward(const std::vector<std::vector<float>>& dy) {
  for (Port& port : in_ports_) memory_.Poison(&port.grad);
  for (size_t k = 0; k < dy.size(); ++k) SetLogical(dy[k], &out_ports_[k].grad);
  if (!traits_.grad_reads_in && !shares_feature_)
    for (Port& port : in_ports_) memory_.Poison(&port.data);
  if (!traits_.grad_reads_out && !shares_feature_)
    for (Port& port : out_ports_) memory_.Poison(&port.data);
  memory_.Poison(&scratch_);
  layer_->ComputeGradient(ctx_, in_, out_);
  for (Param* param : declare_->declared().params) param->CountContribution();
}

BuiltLayer::~BuiltLayer() {
  if (!plans_.empty()) return;
  const auto& known = declare_->declared().slots;
  for (const KernelSlot* slot : trace_.slots())
    EXPECT_NE(std::find(known.begin(), known.end(), slot), known.end())
        << LayerType_Name(conf_.type()) << " calls the kernel " << slot->name();
}

}  // namespace singa
