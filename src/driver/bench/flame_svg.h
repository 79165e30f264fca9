// FlameSvg draws where the time of a step goes, as a picture without scripts.
#pragma once

#include <string>

#include "driver/bench/step_trace.h"

namespace singa {

// Returns an SVG of the step of the first worker. Its rows are the step, its phases, blocks of
// layers and layers. Widths are times. A block is layers in a row whose names begin with the same
// letters and number: c1, c1norm and c1_relu.
std::string FlameSvg(const StepTrace& trace);

}  // namespace singa
