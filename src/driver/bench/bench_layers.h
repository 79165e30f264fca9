// BenchLayers trains some steps with one worker, and measures its layers.
#pragma once

#include "driver/bench/bench_limits.h"
#include "driver/bench/bench_report.h"
#include "train/trainer/trainer.h"

namespace singa {

// Returns a report without the facts of the machine. REQUIRES: the trainer has memory and values.
BenchReport BenchLayers(const BenchLimits& limits, Trainer* trainer);

}  // namespace singa
