// TargetsHint explains a source without labels that gives targets.
#pragma once

#include <string>

#include "singa/base/error.h"
#include "singa/proto/net.pb.h"

namespace singa {

// Returns the end of the text of `error`, which the Setup of `layer` threw: the source that lacks
// labels reads targets. Returns "" for any other error.
std::string TargetsHint(const NetProto& net, Phase phase, const LayerProto& layer,
                        const ConfigError& error);

}  // namespace singa
