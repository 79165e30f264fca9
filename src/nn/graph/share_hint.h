// Where a param is that share_from names and the net of a phase has not.
#pragma once

#include <string>

#include "singa/proto/net.pb.h"

namespace singa {

// For the end of an error: what `name` is in `net`, whose layers of `phase` have no such param. "":
// it is nothing there.
std::string ShareHint(const NetProto& net, Phase phase, const std::string& name);

}  // namespace singa
