// UnderLayer adds the name of a node's layer to a device's error.
#pragma once

#include "singa/base/error.h"
#include "singa/nn/net_node.h"

namespace singa {

inline DeviceError UnderLayer(const NetNode& node, const DeviceError& error) {
  return DeviceError(StrCat("layer \"", node.full_name, "\": ", error.what()));
}

}  // namespace singa
