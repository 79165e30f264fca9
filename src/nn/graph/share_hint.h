// ShareHint explains an unknown name in share_from.
#pragma once

#include <string>

#include "singa/proto/net.pb.h"

namespace singa {

// Returns the end of an error's text: `name` is a param of another phase, or a layer. Returns "" if
// it is neither. REQUIRES: no layer of `phase` has a param `name`.
std::string ShareHint(const NetProto& net, Phase phase, const std::string& name);

}  // namespace singa
