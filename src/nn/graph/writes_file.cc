#include "nn/graph/writes_file.h"

#include "singa/base/error.h"
#include "singa/nn/layer.h"

namespace singa {

bool WritesFile(const LayerProto& conf) {
  try {
    return MakeLayer(conf)->wiring(conf).writes_file;
  } catch (const ConfigError&) {  // reported where the net is built
    return false;
  }
}

}  // namespace singa
