// AwaitRecords waits for records before a step begins.
#pragma once

#include <functional>

#include "singa/nn/net.h"

namespace singa {

// Blocks until the stores of the net's input layers have the records of the next batch, or an error
// that the next pass throws. Calls `stop` every 0.1 s, and returns false if it returns true before
// that; no record is lost. REQUIRES: OpenNet was called.
bool AwaitRecords(const Context& ctx, Phase phase, const std::function<bool()>& stop, Net* net);

}  // namespace singa
