#include "nn/graph/share_hint.h"

#include "nn/graph/graph.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

// Returns the names of a layer's params that share_from can name: "w1", "b1".
std::string NamedParams(const LayerProto& layer) {
  std::string names;
  for (const ParamProto& param : layer.param())
    if (!param.name().empty()) names += StrCat(names.empty() ? "\"" : ", \"", param.name(), "\"");
  return names;
}

bool HasParam(const LayerProto& layer, const std::string& name) {
  for (const ParamProto& param : layer.param())
    if (param.name() == name) return true;
  return false;
}

}  // namespace

std::string ShareHint(const NetProto& net, Phase phase, const std::string& name) {
  for (const LayerProto& layer : net.layer())
    if (HasParam(layer, name) && !InPhase(layer, phase))
      return StrCat(" in the phase ", Phase_Name(phase), "; layer \"", layer.name(),
                    "\", which has it, is not in this phase");
  for (const LayerProto& layer : net.layer()) {
    if (layer.name() != name) continue;
    const std::string names = NamedParams(layer);
    return StrCat("; \"", name, "\" is a layer: ",
                  names.empty() ? "give its param a name, and share from that"
                                : StrCat("share from its params, ", names));
  }
  return "";
}

}  // namespace singa
