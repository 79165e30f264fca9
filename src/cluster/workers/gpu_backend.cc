#include "cluster/workers/gpu_backend.h"

#include <utility>

#include "cluster/client/codec_state.h"
#include "cluster/protocol/gradient_codec.h"
#include "cluster/workers/worker_teams.h"

namespace singa {
namespace {

// Returns the sender of a worker whose state is `state`.
LargestSender SenderOf(const JobProto& job, std::vector<float>* state) {
  return {.momentum = MomentumOfCodec(job),
          .clip_norm = ClipsLocally(job) ? job.updater().clip_norm() : 0,
          .feeds_back = job.cluster().all_reduce().error_feedback(),
          .state = state};
}

Range WorkersHere(const SyncSetup& setup) {
  if (!setup.process) return {0, setup.job.cluster().nworkers_per_group()};
  return setup.process->part().groups().at(0);
}

// Returns the beginning of the names of a worker's states.
std::string PrefixOf(int worker) {
  return StatePrefix("codec", 0, {{worker, worker + 1}}) + "slice";
}

}  // namespace

GpuBackend::GpuBackend(const SyncSetup& setup, const GpuGroupId& gpus)
    : setup_(setup), gpus_(gpus), here_(WorkersHere(setup)), updates_(setup.job, setup.replica) {
  if (!SendsLargest(setup_.job.cluster().all_reduce().compression())) return;
  states_.resize(here_.size());
  for (std::vector<float>& state : states_) senders_.push_back(SenderOf(setup_.job, &state));
}

TeamSync GpuBackend::SyncOf(int group) {
  return {.updates = &updates_,
          .between = setup_.Between(group),
          .gpus = GpuMember{.id = gpus_,
                            .members = setup_.job.cluster().nworkers_per_group(),
                            .deadline = setup_.deadline},
          .largest = senders_};
}

void GpuBackend::AddMemory(WorkerTeams* teams, JobMemory* sum) const {
  for (const LargestSender& sender : senders_)
    sum->host.updater += sender.states() * teams->lead().model().trained().table.elements() *
                         static_cast<int64_t>(sizeof(float));
}

void GpuBackend::Allocate(WorkerTeams* teams) {
  teams_ = teams;
  table_ = teams->lead().model().trained().table;
  for (const LargestSender& sender : senders_)
    sender.state->resize(sender.states() * table_.elements());
  teams->team(0).Allocate();
}

void GpuBackend::SaveState(std::vector<StoredTensor>* state) {
  for (size_t i = 0; i < senders_.size(); ++i) {
    const LargestSender& sender = senders_[i];
    if (sender.states() == 0) continue;
    teams_->team(0).trainers()[i]->path().Download();
    const std::string prefix = PrefixOf(here_.first + static_cast<int>(i));
    const float* from = sender.state->data();
    for (int s = 0; s < table_.size(); ++s) {
      const Shape shape({sender.states(), 1, table_[s].size});
      state->push_back(Stored(StrCat(prefix, s), shape, from));
      from += shape.size();
    }
  }
}

void GpuBackend::RestoreState(const Safetensors& state) {
  if (senders_.empty() || senders_[0].states() == 0) return;
  for (const StoredTensor& tensor : state.tensors()) {
    if (tensor.type != StoredType::kF32 || !tensor.name.starts_with("codec/")) continue;
    restores_ = true;
    for (int worker = here_.first; worker < here_.last; ++worker)
      if (tensor.name.starts_with(PrefixOf(worker))) restored_[tensor.name] = FloatsIn(tensor);
  }
}

void GpuBackend::UseRestoredState() {
  if (!restores_) return;
  for (size_t i = 0; i < senders_.size(); ++i)
    if (!Restore(PrefixOf(here_.first + static_cast<int>(i)), senders_[i])) WarnOfOtherWorkers();
  restored_.clear();
}

// Returns false if a part is missing; the state then stays 0.
bool GpuBackend::Restore(const std::string& prefix, const LargestSender& sender) {
  std::vector<float> found;
  for (int s = 0; s < table_.size(); ++s) {
    const auto it = restored_.find(StrCat(prefix, s));
    if (it == restored_.end() || std::ssize(it->second) != sender.states() * table_[s].size)
      return false;
    found.insert(found.end(), it->second.begin(), it->second.end());
  }
  *sender.state = std::move(found);
  return true;
}

void GpuBackend::Stop(WorkerTeams* teams) { teams->Stop(); }

}  // namespace singa
