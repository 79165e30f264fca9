#include "nn/graph/targets_hint.h"

#include "nn/graph/graph.h"

namespace singa {
namespace {

constexpr char kForLosses[] = ", for kEuclideanLoss or kSigmoidCrossEntropyLoss";

bool GivesTargets(const NetProto& net, Phase phase, const std::string& name) {
  for (const LayerProto& layer : net.layer())
    if (layer.name() == name && InPhase(layer, phase) && !layer.has_user_type())
      return layer.store_conf().num_targets() > 0;
  return false;
}

}  // namespace

std::string TargetsHint(const NetProto& net, Phase phase, const LayerProto& layer,
                        const ConfigError& error) {
  for (const std::string& source : layer.srclayers()) {
    if (error.message() != StrCat("source \"", source, "\" has no labels")) continue;
    if (GivesTargets(net, phase, source))
      return StrCat("; it has targets, \"", source, ":1\"", kForLosses);
    if (source.ends_with(":1") && GivesTargets(net, phase, source.substr(0, source.size() - 2)))
      return StrCat("; it has targets", kForLosses);
  }
  return "";
}

std::string NoTargetsHint(const LayerProto& source) {
  const bool reads_records = source.type() == kCSVInput || source.type() == kRecordInput;
  if (!reads_records || source.has_user_type() || source.store_conf().num_targets() != 0) return "";
  return "; with store_conf { num_targets } the second output has the targets";
}

}  // namespace singa
