// ConfFindings holds what a check finds in a job's conf.
#pragma once

#include "nn/graph/graph.h"

namespace singa {

struct ConfFindings {
  ConfigErrors errors = {}, warnings = {};  // paths are relative to the message that was checked
};

}  // namespace singa
