// Identity returns the codec of floats that travel as float32, as they lie in memory. Values and
// states use it, and gradients of jobs that name no other codec.
#pragma once

#include "singa/comm/codec.h"

namespace singa {

const Codec& Identity();

}  // namespace singa
