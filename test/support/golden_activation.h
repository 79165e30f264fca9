// These are the input and the output's gradient of tool/golden/activations.py.
#pragma once

#include "support/layer_test.h"

namespace singa {

inline const Values kGoldenX = {-3, -1.25f, -0.5f, 0, 0.75f, 2.5f};
inline const Values kGoldenDy = {0.5f, -1, 2, 1, -0.25f, 3};

}  // namespace singa
