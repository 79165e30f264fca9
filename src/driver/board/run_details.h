// RunDetails is everything of a workspace that /api/run tells beside rows: the net, the job,
// checkpoints, the log and the plan.
#pragma once

#include <nlohmann/json.hpp>

#include "driver/board/workspace_files.h"

namespace singa {

// A part that the workspace lacks, or that cannot be read, is null.
nlohmann::ordered_json RunDetails(int run, const WorkspaceFiles& files);

}  // namespace singa
