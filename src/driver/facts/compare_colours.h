// CompareColours checks that all inputs of a net have their pictures' colours in one order.
#pragma once

#include <vector>

#include "driver/facts/input_facts.h"
#include "nn/graph/graph.h"

namespace singa {

// If an input has red first, returns an error for each input with raw pictures whose colour order
// the conf does not state. Errors are relative to the JobProto.
ConfigErrors CompareColours(const std::vector<InputFacts>& inputs);

}  // namespace singa
