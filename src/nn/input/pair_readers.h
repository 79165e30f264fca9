// PairReaders makes the input layers of a phase read records in one order, so that record i of one
// layer meets record i of the others.
#pragma once

#include <deque>

#include "nn/graph/graph.h"
#include "singa/nn/net.h"

namespace singa {

// Gives the stores of a net one order, and makes them skip each other's bad records. Adds an error
// for each input layer whose settings imply another order than the first layer's. OpenNet checks
// that the stores have equally many records. REQUIRES: Setup of all nodes was called, Open of none.
void PairReaders(Phase phase, std::deque<NetNode>* nodes, ConfigErrors* errors);

}  // namespace singa
