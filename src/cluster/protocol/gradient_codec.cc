#include "cluster/protocol/gradient_codec.h"

namespace singa {

float MomentumOfCodec(const JobProto& job) {
  const AllReduceProto& conf = job.cluster().all_reduce();
  const bool leaves_out = conf.compression() == AllReduceProto::kThreshold ||
                          (conf.compression() == AllReduceProto::kTopK && conf.sparsity() < 1);
  const UpdaterProto& updater = job.updater();
  const bool plain = updater.type() == kSGD && !updater.has_user_type();
  const bool corrects = leaves_out && plain && conf.error_feedback() && conf.momentum_correction();
  return corrects ? updater.momentum() : 0;
}

std::unique_ptr<Codec> MakeGradientCodec(const ClusterProto& conf, float momentum) {
  const AllReduceProto& all_reduce = conf.all_reduce();
  const std::string& name = AllReduceProto::Compression_Name(all_reduce.compression());
  std::unique_ptr<Codec> codec = Codecs().Make(Codecs().Has(name) ? name : "kNone");
  codec->Setup(all_reduce, momentum);
  return codec;
}

JobProto JobOfServers(JobProto job) {
  if (MomentumOfCodec(job) > 0) job.mutable_updater()->clear_momentum();
  return job;
}

}  // namespace singa
