#include "cluster/protocol/gradient_codec.h"

namespace singa {

std::unique_ptr<Codec> MakeGradientCodec(const ClusterProto& conf) {
  const AllReduceProto& all_reduce = conf.all_reduce();
  const std::string& name = AllReduceProto::Compression_Name(all_reduce.compression());
  std::unique_ptr<Codec> codec = Codecs().Make(Codecs().Has(name) ? name : "kNone");
  codec->Setup(all_reduce);
  return codec;
}

}  // namespace singa
