// The input layers of a phase read records in one order: record i of one meets record i of the
// others.
#pragma once

#include <deque>

#include "nn/graph/graph.h"
#include "singa/nn/net.h"

namespace singa {

// Gives the stores of a net one order, and one set of records that stand in for bad ones. Adds an
// error for each input layer whose settings would give it another order than the first has. Whether
// the stores have as many records is known once they are open: Net::Open.
// REQUIRES: Setup of all nodes was called, Open of none.
void PairReaders(Phase phase, std::deque<NetNode>* nodes, ConfigErrors* errors);

}  // namespace singa
