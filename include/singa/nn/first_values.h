// The usual first values of params, which a layer hands to Declare::Param as its default.
#pragma once

#include "singa/base/api.h"
#include "singa/proto/param.pb.h"

namespace singa {

// Every element is `value`.
SINGA_API ParamGenProto ConstantValues(float value);
// Elements are drawn from U[-bound, bound). PyTorch's linear layers and convolutions use
// 1 / sqrt(fan_in) for weight and bias, its recurrent layers 1 / sqrt(hidden units).
SINGA_API ParamGenProto UniformValues(double bound);
// Elements are drawn from N(0, std).
SINGA_API ParamGenProto GaussianValues(double std);

}  // namespace singa
