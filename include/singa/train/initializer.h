// Initializer: makes a param's first values. They are a function of (seed, param name, element
// index), the same on any thread, worker or device count.
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

  // Throws ConfigError relative to `conf`.
  virtual void Setup(const ParamGenProto& conf) = 0;
  // Throws ConfigError, relative to the message that Setup got, where a param of `shape` has no
  // such values.
  virtual void CheckShape(const Shape& shape) const;
  // Fills data[shape.size()], a param's values in logical order. Element i depends on number i of
  // `stream` only. REQUIRES: CheckShape has passed.
  virtual void Fill(Context& ctx, Philox stream, const Shape& shape, float* data) const = 0;
};

using InitializerRegistry = Registry<Initializer>;
SINGA_API InitializerRegistry& Initializers();

// The initializer of `conf`, by user_type where set, else by type, after its Setup. Throws
// ConfigError relative to `conf`: also where `conf` names none, so call it only for a param that
// no checkpoint gives.
SINGA_API std::unique_ptr<Initializer> MakeInitializer(const ParamGenProto& conf);

// SINGA_REGISTER_INITIALIZER(kUniform, UniformInit); the first argument is the enum's name or the
// user_type.
#define SINGA_REGISTER_INITIALIZER(type, Class)                                                  \
  [[maybe_unused]] const bool singa_registered_initializer_##type = ::singa::Initializers().Add( \
      #type, [] { return std::unique_ptr<::singa::Initializer>(std::make_unique<Class>()); })

}  // namespace singa
