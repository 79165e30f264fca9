// Which layers have no feature that is worth reading: they write files.
#pragma once

#include "singa/proto/layer.pb.h"

namespace singa {

inline bool WritesFile(const LayerProto& layer) {
  return !layer.has_user_type() && (layer.type() == kCSVOutput || layer.type() == kRecordOutput ||
                                    layer.type() == kCharRNNOutput);
}

}  // namespace singa
