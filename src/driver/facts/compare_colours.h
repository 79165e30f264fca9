// The colours of a net's pictures: all inputs must have them in one order.
#pragma once

#include <vector>

#include "driver/facts/input_facts.h"
#include "nn/graph/graph.h"

namespace singa {

// Says what the conf must state of each input with raw pictures of no stated order, if another
// input has red first. Errors are relative to the JobProto.
ConfigErrors CompareColours(const std::vector<InputFacts>& inputs);

}  // namespace singa
