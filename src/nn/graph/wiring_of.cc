#include "nn/graph/wiring_of.h"

#include "singa/base/error.h"

namespace singa {

Wiring WiringOf(const LayerProto& conf) {
  try {
    return MakeLayer(conf)->wiring(conf);
  } catch (const ConfigError&) {
    return {};
  }
}

}  // namespace singa
