// Hints for readers of targets: a source without labels that gives targets, or a source without
// targets.
#pragma once

#include <string>

#include "singa/base/error.h"
#include "singa/proto/net.pb.h"

namespace singa {

// Returns the end of the text of `error`, which the Setup of `layer` threw: the source that lacks
// labels reads targets. Returns "" for any other error.
std::string TargetsHint(const NetProto& net, Phase phase, const LayerProto& layer,
                        const ConfigError& error);

// Returns the end of a text that layer `source` lacks an output: if it reads records, num_targets
// would give it one. Returns "" for any other layer.
std::string NoTargetsHint(const LayerProto& source);

}  // namespace singa
