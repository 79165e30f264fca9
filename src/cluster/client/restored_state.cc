#include "cluster/client/restored_state.h"

#include <glog/logging.h>

#include <algorithm>

#include "cluster/client/codec_state.h"
#include "cluster/protocol/gradient_codec.h"
#include "singa/train/updater.h"
#include "train/reduce/exchange_state.h"
#include "train/state/handed_momentum.h"

namespace singa {

std::vector<std::string> StatePrefixes(std::string_view kind, const Topology& topology) {
  std::vector<std::string> prefixes;
  for (int group = 0; group < topology.worker_groups(); ++group) {
    const Range processes = topology.ProcessesOf(group);
    for (int rank = processes.first; rank < processes.last; ++rank)
      prefixes.push_back(StatePrefix(kind, topology, rank, group));
  }
  return prefixes;
}

bool RestoredState::IsOfJob(const std::string& name) const {
  return std::ranges::any_of(owners_,
                             [&](const std::string& owner) { return name.starts_with(owner); });
}

void RestoredState::Read(const Safetensors& checkpoint,
                         const std::function<bool(const std::string&)>& is_here) {
  for (const StoredTensor& tensor : checkpoint.tensors()) {
    if (tensor.type != StoredType::kF32 || !tensor.name.starts_with(StatePrefix(kind_))) continue;
    any_ = true;
    const bool own = IsOfWorker(tensor.name, kind_);
    of_workers_ = of_workers_ || own;
    lost_ = lost_ || (own && !IsOfJob(tensor.name));
    if (is_here(tensor.name)) floats_[tensor.name] = FloatsIn(tensor);
  }
  had_momentum_ = kind_ == kCodecState && ProcessesHadMomentum(checkpoint);
  if (lost_)
    std::erase_if(floats_, [&](const auto& tensor) { return IsOfWorker(tensor.first, kind_); });
}

void RestoredState::End(bool fits, bool is_first, const JobProto& job) {
  const bool found = std::ranges::any_of(
      floats_, [&](const auto& tensor) { return IsOfWorker(tensor.first, kind_); });
  floats_.clear();
  const bool handed = had_momentum_ && MakeUpdater(JobOfServers(job).updater())->momentum() > 0;
  if (fits || !of_workers_ || handed || (lost_ && !is_first)) return;
  LOG(WARNING) << "the checkpoint's state of gradient compression, such as residuals, is not used: "
               << (found ? "it is for other settings, such as rank or momentum_correction"
                         : "it is for another division of workers among processes")
               << (had_momentum_ ? "; the momentum of each process is dropped, too" : "");
}

}  // namespace singa
