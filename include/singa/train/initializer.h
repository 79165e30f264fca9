// Initializer makes a param's first values. Each value depends only on (seed, param name, element
// index), not on the number of threads, workers or devices.
#pragma once

#include <memory>

#include "singa/base/philox.h"
#include "singa/base/registry.h"
#include "singa/proto/param.pb.h"
#include "singa/tensor/context.h"
#include "singa/tensor/shape.h"

namespace singa {

class SINGA_API Initializer {
 public:
  virtual ~Initializer() = default;

  // Reads the settings. Throws ConfigError relative to `conf`.
  virtual void Setup(const ParamGenProto& conf) = 0;
  // Throws ConfigError, relative to the message that Setup got, if the initializer cannot fill a
  // param of `shape`.
  virtual void CheckShape(const Shape& shape) const;
  // Fills data[shape.size()] with a param's values in logical order. Element i depends only on
  // number i of `stream`. REQUIRES: CheckShape has passed.
  virtual void Fill(Context& ctx, Philox stream, const Shape& shape, float* data) const = 0;
};

using InitializerRegistry = Registry<Initializer>;
SINGA_API InitializerRegistry& Initializers();

// Makes the initializer of `conf`, by user_type if set, else by type, and calls its Setup. Throws
// ConfigError relative to `conf`, also if `conf` names none. So call it only for a param that no
// checkpoint gives.
SINGA_API std::unique_ptr<Initializer> MakeInitializer(const ParamGenProto& conf);

// SINGA_REGISTER_INITIALIZER(kUniform, UniformInit); the first argument is the enum's name or the
// user_type.
#define SINGA_REGISTER_INITIALIZER(type, Class)                                                  \
  [[maybe_unused]] const bool singa_registered_initializer_##type = ::singa::Initializers().Add( \
      #type, [] { return std::unique_ptr<::singa::Initializer>(std::make_unique<Class>()); })

}  // namespace singa
