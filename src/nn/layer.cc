#include "singa/nn/layer.h"

#include <glog/logging.h>

#include "base/text/edit_distance.h"
#include "singa/base/error.h"

namespace singa {

Wiring Layer::wiring(const LayerProto&) const { return {}; }

Traits Layer::traits() const { return {}; }

std::unique_ptr<Layer> Layer::Stage(int) const {
  LOG(FATAL) << "a layer that sets Wiring::stages must give its stages";
  return nullptr;
}

bool Layer::Fuse(const LayerProto&) { return false; }

void Layer::Prepare(Context&, Declare&, Inputs, Outputs) {}

void Layer::Open(Context&) {}

void Layer::CheckInputs(Phase, Inputs) {}

void Layer::ComputeGradient(Context&, Inputs, Outputs) {
  LOG(FATAL) << "a layer without ComputeGradient must set Wiring::differentiable = false";
}

void Layer::WriteTo(OutputFiles*) {}

LayerRegistry& Layers() {
  static LayerRegistry registry("layer");
  return registry;
}

LayerRegistry& UserLayers() {
  static LayerRegistry registry("layer");
  return registry;
}

std::unique_ptr<Layer> MakeLayer(const LayerProto& conf) {
  if (conf.has_user_type()) {
    std::unique_ptr<Layer> layer = UserLayers().Make(conf.user_type());
    if (!layer)
      throw ConfigError("user_type",
                        StrCat("no layer is registered as \"", conf.user_type(), "\"",
                               Layers().Has(conf.user_type())
                                   ? StrCat("; singa's own is type: ", conf.user_type())
                                   : DidYouMean(conf.user_type(), UserLayers().Names())));
    return layer;
  }
  if (!conf.has_type() || conf.type() == kUserLayer)
    throw ConfigError("", "needs a type or a user_type; conf/guide/layers.md lists the types");
  std::unique_ptr<Layer> layer = Layers().Make(LayerType_Name(conf.type()));
  if (!layer) throw ConfigError("type", StrCat(LayerType_Name(conf.type()), " is not built yet"));
  return layer;
}

}  // namespace singa
