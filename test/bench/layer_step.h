// LayerStep is one layer with all memory that it needs, to be timed alone.
#pragma once

#include <google/protobuf/text_format.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "singa/nn/layer.h"

namespace singa {

class LayerStep {
 public:
  // `text`: a LayerProto; x: the shape of the only source; `below`: whether the source has a
  // gradient.
  LayerStep(const std::string& text, const Shape& x, bool below, int threads) {
    google::protobuf::TextFormat::ParseFromString(text, &conf_);
    ctx_.threads = threads;
    layer_ = MakeLayer(conf_);
    outs_.resize(layer_->wiring(conf_).num_outputs + layer_->wiring(conf_).state_outputs);
    for (Port& out : outs_) out_.push_back(&out);
    x_.data.SetShape(x);
    declare_ = std::make_unique<Declare>(conf_, &table_);
    layer_->Setup(conf_, *declare_, in_, out_);
    layer_->Prepare(ctx_, *declare_, in_, out_);
    x_.data = Filled(x_.data.shape());
    if (below) x_.grad = Filled(x_.data.shape());
    for (Port& out : outs_) out.data = Filled(out.data.shape());
    outs_[0].grad = Filled(outs_[0].data.shape());
    for (Buffer& buffer : declare_->declared().buffers)
      buffer.tensor = Filled(buffer.tensor.shape());
    for (Param* param : declare_->declared().params) {
      param->data = Filled(param->shape());
      param->grad = Filled(param->shape());
    }
    scratch_ = Tensor::Allocate({declare_->declared().scratch}, DType::kU8);
    ctx_.scratch = scratch_.as<uint8_t>();
  }

  static Tensor Filled(const Shape& shape) {
    Tensor tensor = Tensor::Allocate(shape);
    for (int64_t i = 0; i < tensor.size(); ++i)
      tensor.data()[i] = static_cast<float>(i * 7919 % 1001 - 500) / 10000;
    return tensor;
  }
  double flops() const {
    const Work work = layer_->work();
    return work.feature + work.param_gradients + (x_.grad.empty() ? 0 : work.input_gradients);
  }
  // Returns the bytes of the layer's buffers and scratch.
  int64_t bytes() const {
    int64_t sum = scratch_.bytes();
    for (const Buffer& buffer : declare_->declared().buffers) sum += buffer.tensor.bytes();
    return sum;
  }
  void Forward() { layer_->ComputeFeature(ctx_, kTrain, in_, out_); }
  void Backward() { layer_->ComputeGradient(ctx_, in_, out_); }

 private:
  Context ctx_;
  LayerProto conf_;
  ParamTable table_;
  std::unique_ptr<Layer> layer_;
  std::unique_ptr<Declare> declare_;
  Port x_;
  std::deque<Port> outs_;
  std::vector<Port*> in_ = {&x_}, out_;
  Tensor scratch_;
};

}  // namespace singa
