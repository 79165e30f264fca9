// CopyingLayer copies its input, on a device, too. Tests derive layers from it that do wrong things
// at times.
#pragma once

#include "singa/nn/layer.h"
#include "singa/tensor/memory.h"

namespace singa {

class CopyingLayer : public Layer {
 public:
  Wiring wiring(const LayerProto&) const override { return {.row_wise = true}; }
  Traits traits() const override { return {.on_device = true}; }
  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    worker_ = conf.partition_id();
    out[0]->data.SetShape(in[0]->data.shape());
  }
  void ComputeFeature(Context& ctx, Phase, Inputs in, Outputs out) override {
    CopyFloats(ctx, in[0]->data.data(), out[0]->data.data(), in[0]->data.size());
  }
  void ComputeGradient(Context& ctx, Inputs in, Outputs out) override {
    if (in[0]->grad.empty()) return;
    CopyFloats(ctx, out[0]->grad.data(), in[0]->grad.data(), in[0]->grad.size());
  }

 protected:
  int worker() const { return worker_; }  // of the group

 private:
  int worker_ = 0;
};

}  // namespace singa
