#include "singa/nn/first_values.h"

namespace singa {

ParamGenProto ConstantValues(float value) {
  ParamGenProto init;
  init.set_type(kConstant);
  init.set_value(value);
  return init;
}

ParamGenProto UniformValues(double bound) {
  ParamGenProto init;
  init.set_type(kUniform);
  init.set_low(static_cast<float>(-bound));
  init.set_high(static_cast<float>(bound));
  return init;
}

ParamGenProto GaussianValues(double std) {
  ParamGenProto init;
  init.set_type(kGaussian);
  init.set_std(static_cast<float>(std));
  return init;
}

}  // namespace singa
