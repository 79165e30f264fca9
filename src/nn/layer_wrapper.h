// LayerWrapper takes the place of another layer in a net and passes all calls on to it.
#pragma once

#include <memory>
#include <utility>

#include "singa/nn/layer.h"

namespace singa {

class LayerWrapper : public Layer {
 public:
  explicit LayerWrapper(std::unique_ptr<Layer> layer) : layer_(std::move(layer)) {}

  std::unique_ptr<Layer> Release() { return std::move(layer_); }

  Wiring wiring(const LayerProto& conf) const override { return layer_->wiring(conf); }
  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
    layer_->Setup(conf, declare, in, out);
  }
  Traits traits() const override { return layer_->traits(); }
  Work work() const override { return layer_->work(); }
  bool Fuse(const LayerProto& reader) override { return layer_->Fuse(reader); }
  void Prepare(Context& ctx, Declare& declare, Inputs in, Outputs out) override {
    layer_->Prepare(ctx, declare, in, out);
  }
  void Open(Context& ctx) override { layer_->Open(ctx); }
  void CheckInputs(Phase phase, Inputs in) override { layer_->CheckInputs(phase, in); }
  void ComputeFeature(Context& ctx, Phase phase, Inputs in, Outputs out) override {
    layer_->ComputeFeature(ctx, phase, in, out);
  }
  void ComputeGradient(Context& ctx, Inputs in, Outputs out) override {
    layer_->ComputeGradient(ctx, in, out);
  }
  void WriteTo(OutputFiles* files) override { layer_->WriteTo(files); }
  void BeginPass(Context& ctx, int64_t before) override { layer_->BeginPass(ctx, before); }
  RecordReader* reader() override { return layer_->reader(); }

 protected:
  Layer& layer() { return *layer_; }

 private:
  std::unique_ptr<Layer> layer_;
};

}  // namespace singa
