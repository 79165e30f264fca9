#include "driver/conf/choose_layers.h"

#include <algorithm>

#include "base/text/edit_distance.h"
#include "driver/conf/diagnostic.h"
#include "driver/conf/synonyms.h"
#include "nn/graph/graph.h"
#include "singa/base/error.h"

namespace singa {
namespace {

std::vector<int> LayersNamed(const LayerList& layers, const std::string& which) {
  std::vector<int> chosen;
  std::vector<std::string> names;
  for (const LayerProto& layer : layers) names.push_back(layer.name());
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] == which) chosen.push_back(static_cast<int>(i));
  if (!chosen.empty()) return chosen;
  const std::vector<std::string> parts = LayerPaths(names);
  for (size_t i = 0; i < parts.size(); ++i)
    if (parts[i] == "layer[" + which + "]" || (which == names[i] + "#0"))
      return {static_cast<int>(i)};
  return {};
}

}  // namespace

// Splits `which` at '@', which names of layers do not have.
std::vector<int> ChooseLayers(const LayerList& layers, const std::string& which) {
  const size_t at = which.rfind('@');
  if (at == std::string::npos) return LayersNamed(layers, which);
  const std::string name = which.substr(0, at), said = which.substr(at + 1);
  Phase phase = kUnknown;
  const std::vector<std::string> known = {"kTrain", "kVal", "kTest"};
  if (std::find(known.begin(), known.end(), said) == known.end() || !Phase_Parse(said, &phase)) {
    std::string meant = SynonymOf(*Phase_descriptor(), said);
    meant = meant.empty() ? DidYouMean(said, known) : StrCat("; did you mean \"", meant, "\"?");
    throw ConfigError(
        "", StrCat("the phase must be kTrain, kVal or kTest, is \"", Excerpt(said), "\"", meant));
  }
  const std::vector<int> named = LayersNamed(layers, name);
  std::vector<int> chosen;
  for (int i : named)
    if (InPhase(layers.Get(i), phase)) chosen.push_back(i);
  if (chosen.empty() && !named.empty())
    throw ConfigError("", StrCat("no layer \"", Excerpt(name), "\" is in the phase ", said));
  return chosen;
}

std::string LayersText(const LayerList& layers, const std::vector<int>& chosen) {
  std::vector<std::string> names;
  for (const LayerProto& layer : layers) names.push_back(layer.name());
  const std::vector<std::string> paths = LayerPaths(names);
  std::string text = StrCat("sets ", chosen.size(), " layers:");
  for (size_t i = 0; i < chosen.size(); ++i) {
    const LayerProto& layer = layers.Get(chosen[i]);
    text += (i ? ", " : " ") + paths[chosen[i]];
    for (int k = 0; k < layer.include_size(); ++k)
      text += (k ? " " : " of ") + Phase_Name(layer.include(k));
  }
  return text;
}

}  // namespace singa
