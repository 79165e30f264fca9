// OldTypeText gives advice on layer types that exist only for old files.
#pragma once

#include <string>

#include "singa/proto/layer.pb.h"

namespace singa {

// Returns what to write instead of `type`; "": it is not old.
std::string OldTypeText(LayerType type);

}  // namespace singa
