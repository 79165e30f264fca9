// ChooseLayers finds the layers that a -set option names: layer[NAME], layer[NAME#K],
// layer[NAME@PHASE].
#pragma once

#include <string>
#include <vector>

#include "singa/proto/net.pb.h"

namespace singa {

// The layers of a net, or of a `repeat` block.
using LayerList = google::protobuf::RepeatedPtrField<LayerProto>;

// Returns the layers' indices; empty: no layer has the name. Throws ConfigError for an unknown
// phase, or one without a layer of the name.
std::vector<int> ChooseLayers(const LayerList& layers, const std::string& which);

// Returns "sets 2 layers: layer[data#0] of kTrain, layer[data#1] of kTest".
std::string LayersText(const LayerList& layers, const std::vector<int>& chosen);

}  // namespace singa
