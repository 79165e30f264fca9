// ServedParam holds what servers and their clients know of a param.
#pragma once

#include <string>

#include "train/apply/update_rule.h"

namespace singa {

struct ServedParam {
  std::string name, layer;
  ParamScale scale;
};

}  // namespace singa
