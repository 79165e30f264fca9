#include "cluster/workers/servers_backend.h"

#include <utility>

#include "cluster/workers/worker_teams.h"
#include "nn/connection/bridge.h"
#include "singa/base/str_cat.h"
#include "train/reduce/exchange_state.h"

namespace singa {
namespace {

std::unique_ptr<ServedCluster> ClusterOfOneProcess(const SyncSetup& setup) {
  if (setup.process) return nullptr;
  return std::make_unique<ServedCluster>(setup.job, setup.plan.topology, 0, nullptr,
                                         setup.deadline);
}

}  // namespace

ServersBackend::ServersBackend(const SyncSetup& setup)
    : setup_(setup),
      own_(ClusterOfOneProcess(setup)),
      cluster_(own_ ? *own_ : setup.process->cluster()),
      restored_(kCodecState, StatePrefixes(kCodecState, setup.plan.topology)) {}

TeamSync ServersBackend::SyncOf(int group) {
  if (setup_.HasWorkers())
    return {.updates = &cluster_.updates(group),
            .between = setup_.Between(group),
            .link = cluster_.LinkTo(group)};
  none_ = std::make_unique<ReplicaUpdates>(setup_.job, setup_.replica);
  return {.updates = none_.get()};
}

void ServersBackend::AddMemory(WorkerTeams* teams, JobMemory* sum) const {
  int64_t values = 0;  // bytes of each group's values; the first group's are counted already
  for (const Param* param : teams->lead().model().trained().params)
    values += param->size() * static_cast<int64_t>(sizeof(float));
  const std::vector<int> here = teams->here();
  const bool has_first = !here.empty() && here.front() == 0;
  sum->host.params += values * (std::ssize(here) - static_cast<int64_t>(has_first));
  sum->host.updater += cluster_.bytes(values, static_cast<int64_t>(setup_.replica->state_count()));
  const RegionSizes regions = SizesOfBridges(teams->lead().model().net().nodes(),
                                             setup_.job.cluster().nworkers_per_group());
  for (const int group : here) {
    const WorkerLink link = cluster_.LinkTo(group);
    if (!link.link || regions.tags == 0) continue;
    sum->host.forever += LinkExchange::MostUnderWay(link, regions).bytes;
    for (const Trainer* trainer : teams->team(group).trainers())
      sum->host.forever += LinkExchange::Bytes(regions, trainer->model().place().worker);
  }
  sum->host.gradients += cluster_.message_bytes(teams->lead().model().trained().table);
  sum->host.gradients += cluster_.codec_state().bytes(values / static_cast<int64_t>(sizeof(float)));
}

void ServersBackend::Allocate(WorkerTeams* teams) {
  for (const auto& [group, team] : teams->all()) team->Allocate();
  const TrainedParams& trained = teams->lead().model().trained();
  setup_.replica->Attach(trained.table, trained.params);
}

void ServersBackend::Watch(const std::string& where, StallDetector* finder) const {
  for (const auto& [server, mark] : cluster_.marks())
    finder->Add(StrCat("server ", server.second, " of group ", server.first, where), &mark);
}

void ServersBackend::Connect(WorkerTeams* teams, const std::vector<int64_t>& steps, int64_t total) {
  std::vector<std::vector<float*>> values;
  for (const int group : teams->here())
    values.push_back(teams->team(group).lead().model().trained().Values());
  const TrainedParams& trained = teams->lead().model().trained();
  cluster_.Connect(trained.table, trained.params, {steps, total}, values, setup_.replica);
}

void ServersBackend::Fill() {
  cluster_.Fill();
  if (!setup_.process) return;
  if (Leader* const leader = setup_.process->leader()) leader->AwaitFilled();
  if (Follower* const follower = setup_.process->follower()) follower->TellFilled();
}

int64_t ServersBackend::TakeOver(int group) { return cluster_.updates(group).TakeOver(); }

std::vector<SliceState> ServersBackend::Gather(const std::vector<int64_t>& steps) {
  const std::vector<int64_t> versions = cluster_.VersionsAt(steps);
  for (int round = 0; versions.size() > 1 && round < 2; ++round)
    setup_.ExchangeInAll(versions, [&] { cluster_.Exchange(versions); });
  return cluster_.Gather(versions);
}

void ServersBackend::Exchange(const std::vector<int64_t>& versions) { cluster_.Exchange(versions); }

SyncStats ServersBackend::TakeStats(int group) {
  ServedUpdates& updates = cluster_.updates(group);
  return {.wait_ms = updates.TakeWaitMs(),
          .coding_ms = updates.TakeCodingMs(),
          .staleness = updates.TakeStaleness()};
}

SumTimes ServersBackend::MeasureSum(int64_t floats) {
  RankLink* const link = cluster_.LinkTo(0).link;
  return link ? singa::MeasureSum(link, floats) : SumTimes();
}

void ServersBackend::SaveState(std::vector<StoredTensor>* state) {
  for (StoredTensor& tensor : cluster_.codec_state().Tensors()) state->push_back(std::move(tensor));
  for (StoredTensor& tensor : cluster_.SyncState()) state->push_back(std::move(tensor));
}

void ServersBackend::RestoreState(const Safetensors& state) {
  restored_.Read(state, [&](const std::string& name) { return cluster_.codec_state().Has(name); });
  for (const StoredTensor& tensor : state.tensors())
    if (tensor.type == StoredType::kF32 && cluster_.HasSyncState(tensor.name))
      restored_sync_[tensor.name] = FloatsIn(tensor);
}

// A checkpoint of other processes or of another codec lacks the state that is wanted here.
void ServersBackend::UseRestoredState() {
  cluster_.RestoreSync(std::exchange(restored_sync_, {}));
  if (!restored_.any()) return;
  const bool fits = cluster_.codec_state().Set(restored_.floats()).empty();
  restored_.End(fits, setup_.HasFirstWorker(), setup_.job);
}

void ServersBackend::Fail(const std::exception_ptr& error) { cluster_.Fail(error); }

void ServersBackend::Close() { cluster_.Close(); }

}  // namespace singa
