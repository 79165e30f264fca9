// Waits for records outside of a step, where nothing of the step has begun.
#pragma once

#include <functional>

#include "singa/nn/net.h"

namespace singa {

// Waits until the stores of the net's input layers have given the records of the next batch, or the
// errors that its pass will throw. False: `stop`, which is asked every 0.1 s, was true before that;
// no record is lost. REQUIRES: Net::Open was called.
bool AwaitRecords(const Context& ctx, Phase phase, const std::function<bool()>& stop, Net* net);

}  // namespace singa
