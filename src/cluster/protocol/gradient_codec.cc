#include "cluster/protocol/gradient_codec.h"

namespace singa {

std::unique_ptr<Codec> MakeGradientCodec(const ClusterProto& /*conf*/) {
  return Codecs().Make("kNone");
}

}  // namespace singa
