// The layers that a -set option means: layer[NAME], layer[NAME#K], layer[NAME@PHASE].
#pragma once

#include <string>
#include <vector>

#include "singa/proto/net.pb.h"

namespace singa {

// Their indices; none: no layer has the name. Throws ConfigError for a phase that is none, or that
// has no layer of the name.
std::vector<int> ChooseLayers(const NetProto& net, const std::string& which);

// "sets 2 layers: layer[data#0] of kTrain, layer[data#1] of kTest"
std::string LayersText(const NetProto& net, const std::vector<int>& chosen);

}  // namespace singa
