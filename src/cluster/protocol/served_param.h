// ServedParam is a param as servers and their clients know it.
#pragma once

#include <string>

#include "train/apply/update_rule.h"

namespace singa {

struct ServedParam {
  std::string name, layer;
  ParamScale scale;
};

}  // namespace singa
