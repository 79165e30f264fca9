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

// Returns the end of an error that layer `source` lacks an output. If the layer reads records, the
// text says that num_targets would give it one; otherwise the text is "".
std::string NoTargetsHint(const LayerProto& source);

}  // namespace singa
