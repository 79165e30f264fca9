#include "singa/train/initializer.h"

#include "base/make_by_type.h"

namespace singa {

InitializerRegistry& Initializers() {
  static InitializerRegistry registry("initializer");
  return registry;
}

void Initializer::CheckShape(const Shape&) const {}

std::unique_ptr<Initializer> MakeInitializer(const ParamGenProto& conf) {
  return MakeByType(Initializers(), conf, kUserInit,
                    "the param needs an init with a type or a user_type: no checkpoint gives its "
                    "values");
}

}  // namespace singa
