// Layer types that are there for old files.
#pragma once

#include <string>

#include "singa/proto/layer.pb.h"

namespace singa {

// What to write in place of `type`; "": it is not old.
std::string OldTypeText(LayerType type);

}  // namespace singa
