// ChooseLayers finds the layers that a -set option names: layer[NAME], layer[NAME#K],
// layer[NAME@PHASE].
#pragma once

#include <string>
#include <vector>

#include "singa/proto/net.pb.h"

namespace singa {

// Returns the layers' indices; empty: no layer has the name. Throws ConfigError for an unknown
// phase, or one without a layer of the name.
std::vector<int> ChooseLayers(const NetProto& net, const std::string& which);

// Returns "sets 2 layers: layer[data#0] of kTrain, layer[data#1] of kTest".
std::string LayersText(const NetProto& net, const std::vector<int>& chosen);

}  // namespace singa
