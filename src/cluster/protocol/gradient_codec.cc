#include "cluster/protocol/gradient_codec.h"

#include "singa/train/updater.h"
#include "train/reduce/exchange_state.h"

namespace singa {

namespace {

// Returns the kind of state that the compression may keep; "": none.
std::string_view KindOf(AllReduceProto::Compression compression) {
  switch (compression) {
    case AllReduceProto::kTopK:
    case AllReduceProto::kThreshold:
      return kCodecState;
    case AllReduceProto::kPowerSGD:
      return kLowRankState;
    case AllReduceProto::kPartial:
      return kOwnValuesState;
    case AllReduceProto::kNone:
    case AllReduceProto::kFp16:
      break;
  }
  return "";
}

}  // namespace

bool SendsLater(const AllReduceProto& conf) {
  const bool leaves_out =
      (conf.compression() == AllReduceProto::kThreshold && conf.threshold() > 0) ||
      (conf.compression() == AllReduceProto::kTopK && conf.sparsity() < 1);
  return leaves_out && conf.error_feedback();
}

bool UsesCodec(SyncMode mode, const JobProto& job) {
  if (mode == SyncMode::kAllReduce)
    return job.cluster().all_reduce().compression() != AllReduceProto::kNone;
  return mode == SyncMode::kServers || mode == SyncMode::kRankSums;
}

bool ClipsLocally(const JobProto& job) {
  const AllReduceProto& conf = job.cluster().all_reduce();
  return job.updater().clip_norm() > 0 && SendsLater(conf) && conf.local_clipping();
}

float MomentumOfCodec(const JobProto& job) {
  const AllReduceProto& conf = job.cluster().all_reduce();
  // The updater clips gradients before it adds momentum.
  const UpdaterProto& updater = job.updater();
  const bool clips = (updater.clip_norm() > 0 && !ClipsLocally(job)) || updater.has_clip_low() ||
                     updater.has_clip_high();
  const bool corrects = SendsLater(conf) && !clips && conf.momentum_correction();
  return corrects ? MakeUpdater(updater)->momentum() : 0;
}

std::unique_ptr<Codec> MakeGradientCodec(const ClusterProto& conf, float momentum) {
  const AllReduceProto& all_reduce = conf.all_reduce();
  const std::string& name = AllReduceProto::Compression_Name(all_reduce.compression());
  std::unique_ptr<Codec> codec = Codecs().Make(Codecs().Has(name) ? name : "kNone");
  codec->Setup(all_reduce, momentum);
  return codec;
}

std::unique_ptr<Codec> MakeOuterCodec(const ClusterProto& conf) {
  const std::string& name = ClusterProto::OuterCompression_Name(conf.outer_compression());
  std::unique_ptr<Codec> codec = Codecs().Make(name);
  codec->Setup(AllReduceProto(), 0);  // with error_feedback
  return codec;
}

std::string WhyNotKept(std::string_view kind, SyncMode mode, const JobProto& job) {
  if (mode == SyncMode::kAlone) return "one worker now trains alone";
  if (mode == SyncMode::kThreads)
    return "the workers are now threads of one process, which do not compress gradients";
  if (mode == SyncMode::kHostMemory)
    return "the processes now share memory and do not compress gradients";
  const AllReduceProto& conf = job.cluster().all_reduce();
  if (KindOf(conf.compression()) != kind)
    return "cluster.all_reduce.compression is now " +
           AllReduceProto::Compression_Name(conf.compression());
  const bool keeps = conf.error_feedback() || kind == kOwnValuesState;
  return keeps ? "" : "cluster.all_reduce.error_feedback is now false";
}

JobProto JobOfServers(JobProto job) {
  const bool clips = ClipsLocally(job);
  if (MomentumOfCodec(job) > 0) job.mutable_updater()->clear_momentum();
  if (clips) job.mutable_updater()->clear_clip_norm();
  return job;
}

}  // namespace singa
