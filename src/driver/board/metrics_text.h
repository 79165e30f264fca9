// MetricsText writes what /metrics answers, in Prometheus' text form
// (prometheus.io/docs/instrumenting/exposition_formats).
#pragma once

#include <string>
#include <vector>

#include "driver/board/board_run.h"

namespace singa {

std::string MetricsText(const std::vector<RunState>& runs);

}  // namespace singa
