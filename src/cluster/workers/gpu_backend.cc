#include "cluster/workers/gpu_backend.h"

#include <algorithm>
#include <utility>

#include "cluster/protocol/gradient_codec.h"
#include "cluster/protocol/worker_places.h"
#include "cluster/ranks/mean_model.h"
#include "cluster/workers/worker_teams.h"
#include "train/reduce/exchange_state.h"

namespace singa {
namespace {

constexpr int kGroup = 0;  // the job's only worker group

Range WorkersHere(const SyncSetup& setup) {
  if (!setup.process) return {0, setup.job.cluster().nworkers_per_group()};
  return setup.process->part().groups().at(kGroup);
}

// Returns the beginning of the names of a worker's state.
std::string PrefixOf(std::string_view kind, int worker) {
  return StatePrefix(kind, kGroup, {{worker, worker + 1}});
}

std::vector<std::string> Prefixes(std::string_view kind, int workers) {
  std::vector<std::string> prefixes;
  for (int worker = 0; worker < workers; ++worker) prefixes.push_back(PrefixOf(kind, worker));
  return prefixes;
}

}  // namespace

GpuBackend::GpuBackend(const SyncSetup& setup, const GpuGroupId& gpus)
    : setup_(setup),
      gpus_(gpus),
      here_(WorkersHere(setup)),
      compression_(CompressionOf(setup.job.cluster().all_reduce())),
      updates_(setup.job, setup.replica,
               [this](int worker) { return PlaceOf(setup_.plan.topology, kGroup, worker); }),
      restored_(compression_.state_kind,
                Prefixes(compression_.state_kind, setup.job.cluster().nworkers_per_group())) {
  if (!compression_.keeps_state()) return;
  states_.resize(here_.size());
  const float clip_norm = ClipsLocally(setup_.job) ? setup_.job.updater().clip_norm() : 0;
  for (std::vector<float>& state : states_)
    senders_.push_back({MomentumOfCodec(setup_.job), clip_norm, &state});
}

TeamSync GpuBackend::SyncOf(int group) {
  return {.updates = &updates_,
          .between = setup_.Between(group),
          .gpus = GpuMember{.id = gpus_,
                            .members = setup_.job.cluster().nworkers_per_group(),
                            .deadline = setup_.deadline},
          .senders = senders_};
}

CompressedParams GpuBackend::ParamsOf(WorkerTeams* teams) const {
  return {.conf = setup_.job.cluster().all_reduce(),
          .trained = teams->lead().model().trained(),
          .states = static_cast<int64_t>(setup_.replica->state_count()),
          .momentum = MomentumOfCodec(setup_.job)};
}

void GpuBackend::AddMemory(WorkerTeams* teams, JobMemory* sum) const {
  sum->host.updater += std::ssize(senders_) * compression_.StateFloats(ParamsOf(teams)) *
                       static_cast<int64_t>(sizeof(float));
}

void GpuBackend::Allocate(WorkerTeams* teams) {
  teams_ = teams;
  for (size_t i = 0; i < senders_.size(); ++i) {
    parts_.push_back(PartsOf(here_.first + static_cast<int>(i)));
    states_[i].resize(compression_.GpuStateFloats(ParamsOf(teams)));
  }
  teams->team(kGroup).Allocate();
}

// Returns the parts with the names that a checkpoint has.
std::vector<StatePart> GpuBackend::PartsOf(int worker) const {
  const std::string_view kind = compression_.state_kind;
  std::vector<StatePart> parts = compression_.parts(ParamsOf(teams_));
  for (StatePart& part : parts)
    part.name = (part.common ? CommonPrefix(kind) : PrefixOf(kind, worker)) + part.name;
  return parts;
}

void GpuBackend::Download() {
  for (Trainer* trainer : teams_->team(kGroup).trainers()) trainer->path().Download();
}

void GpuBackend::SaveState(std::vector<StoredTensor>* state) {
  if (senders_.empty()) return;
  Download();
  for (size_t i = 0; i < senders_.size(); ++i) {
    if (states_[i].empty()) continue;
    const float* from = states_[i].data();
    for (const StatePart& part : parts_[i]) {
      if (!part.common || here_.first + i == 0)
        state->push_back(Stored(part.name, part.shape, from));
      from += part.shape.size();
    }
  }
}

void GpuBackend::RestoreState(const Safetensors& state) {
  if (senders_.empty() || parts_[0].empty()) return;
  const auto is_here = [&](const std::string& name) {
    return std::ranges::any_of(parts_, [&](const std::vector<StatePart>& parts) {
      return std::ranges::find(parts, name, &StatePart::name) != parts.end();
    });
  };
  restored_.Read(state, is_here);
}

void GpuBackend::UseRestoredState() {
  if (!restored_.any()) return;
  bool fits = true;
  for (size_t i = 0; i < senders_.size(); ++i) fits = Restore(i) && fits;
  restored_.End(fits, setup_.HasFirstWorker(), setup_.job);
  if (!compression_.has_own_values || states_[0].empty()) return;
  has_model_ = true;
  BringOwnBack();
}

// Returns false if a part of the worker's own is missing; these then begin anew.
bool GpuBackend::Restore(size_t worker) {
  const auto found = [&](const StatePart& part) {
    const auto it = restored_.floats().find(part.name);
    const bool fits = it != restored_.floats().end() && std::ssize(it->second) == part.shape.size();
    return fits ? &it->second : nullptr;
  };
  const bool all = std::ranges::all_of(
      parts_[worker], [&](const StatePart& part) { return part.common || found(part); });
  if (compression_.has_own_values && !all) return false;
  std::vector<float> state;
  for (const StatePart& part : parts_[worker]) {
    const std::vector<float>* const floats = all || part.common ? found(part) : nullptr;
    state.resize(state.size() + part.shape.size());
    if (floats) std::ranges::copy(*floats, state.end() - std::ssize(*floats));
  }
  states_[worker] = std::move(state);
  return all;
}

std::vector<SliceState> GpuBackend::ShareModel() {
  Download();
  for (std::vector<float>& own : states_)
    if (own.empty()) own = setup_.replica->AllFloats();  // before the first step
  const float share = 1 / static_cast<float>(setup_.job.cluster().nworkers_per_group());
  LinkCollective* const between =
      setup_.process ? &setup_.process->cluster().between(kGroup) : nullptr;
  return MeanModel(*setup_.replica, {states_.begin(), states_.end()}, share, between);
}

std::vector<SliceState> GpuBackend::Gather(const std::vector<int64_t>& steps) {
  if (!compression_.has_own_values) return {};
  std::vector<SliceState> model;
  setup_.ExchangeInAll({steps[kGroup]}, [&] { model = ShareModel(); });
  teams_->lead().path().MarkDeviceStale();
  has_model_ = true;
  return model;
}

void GpuBackend::BringOwnBack() {
  if (!std::exchange(has_model_, false)) return;
  setup_.replica->SetAllFloats(states_[0]);
  teams_->lead().path().MarkDeviceStale();
}

void GpuBackend::Stop(WorkerTeams* teams) { teams->Stop(); }

}  // namespace singa
