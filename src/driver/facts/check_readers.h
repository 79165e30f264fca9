// CheckReaders finds numbers of an input layer that other layers of its net refuse, before the job
// runs.
#pragma once

#include <string>
#include <vector>

#include "singa/nn/net.h"

namespace singa {

// Returns the errors of the layers that check the output `read`, such as "data:1", for one row of
// `numbers`. A layer may read the output through a layer of labels. No two errors are equal.
// REQUIRES: the net has no mistakes.
std::vector<std::string> CheckReaders(Net* net, const std::string& read,
                                      std::vector<float> numbers);

}  // namespace singa
