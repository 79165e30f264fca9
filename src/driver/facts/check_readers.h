// CheckReaders shows the layers of a net numbers that an input layer will give, so that a check
// finds those that a layer refuses.
#pragma once

#include <string>
#include <vector>

#include "singa/nn/net.h"

namespace singa {

// Returns what the layers that check the output `read`, such as "data:1", say of these numbers of
// one row. A layer may read the output by a layer of labels. No two texts are equal. REQUIRES: the
// net has no mistakes.
std::vector<std::string> CheckReaders(Net* net, const std::string& read,
                                      std::vector<float> numbers);

}  // namespace singa
