#include "cluster/workers/ranks_backend.h"

#include <glog/logging.h>

#include <utility>

#include "base/thread/core_binding.h"
#include "base/thread/stopped.h"
#include "cluster/protocol/gradient_codec.h"
#include "cluster/ranks/partial_updates.h"
#include "cluster/ranks/rank_updates.h"
#include "cluster/workers/worker_teams.h"
#include "nn/connection/bridge.h"

namespace singa {
namespace {

constexpr int kGroup = 0;  // the job's only worker group

// Returns whether gradients are exchanged beside the backward pass. If all processes are on this
// host, its processors carry the messages. That takes time from the workers if they use all cores.
bool ExchangesAside(const SyncSetup& setup) {
  const int workers = setup.job.cluster().nworkers_per_group();
  return !setup.process->part().all_here() || workers * setup.threads < UsableCores();
}

std::unique_ptr<MpiLink> MakeMpiLink(const SyncSetup& setup, MpiLink::Carrier carrier) {
  if (!setup.plan.by_mpi) return nullptr;
  const JobPart& part = setup.process->part();
  return std::make_unique<MpiLink>(part.rank(), part.processes(), carrier, setup.deadline);
}

}  // namespace

RanksBackend::RanksBackend(const SyncSetup& setup)
    : setup_(setup),
      job_(JobOfServers(setup.job)),
      codec_(MakeGradientCodec(setup.job.cluster(), MomentumOfCodec(setup.job))),
      gradients_(MakeMpiLink(
          setup, ExchangesAside(setup) ? MpiLink::Carrier::kOwnThread : MpiLink::Carrier::kSender)),
      regions_(MakeMpiLink(setup, MpiLink::Carrier::kOwnThread)) {
  ServedCluster& cluster = setup_.process->cluster();
  const LinkedUpdates::Setup parts{
      .job = job_,
      .topology = setup_.plan.topology,
      .link = gradients_ ? gradients_.get() : cluster.LinkTo(kGroup).link,
      .between = &cluster.between(kGroup),
      .deadline = setup_.deadline,
      .replica = setup_.replica,
      .aside = ExchangesAside(setup_)};
  if (setup_.job.cluster().all_reduce().compression() == AllReduceProto::kPartial)
    updates_ = std::make_unique<PartialUpdates>(parts);
  else
    updates_ = std::make_unique<RankUpdates>(
        parts, *codec_, ClipsLocally(setup_.job) ? setup_.job.updater().clip_norm() : 0);
  const std::string_view kind = updates_->state_kind();
  restored_.emplace(kind, StatePrefixes(kind, setup_.plan.topology));
}

RanksBackend::~RanksBackend() { FailLinks(); }

TeamSync RanksBackend::SyncOf(int) {
  WorkerLink link = setup_.process->cluster().LinkTo(kGroup);
  if (regions_) link.link = regions_.get();
  return {.updates = updates_.get(), .between = setup_.Between(kGroup), .link = std::move(link)};
}

void RanksBackend::AddMemory(WorkerTeams* teams, JobMemory* sum) const {
  const WorkerModel& lead = teams->lead().model();
  int64_t values = 0;
  for (const Param* param : lead.trained().params) values += param->size();
  const auto bytes = static_cast<int64_t>(sizeof(float)) * values;
  sum->host.updater += bytes * static_cast<int64_t>(setup_.replica->state_count());
  sum->host.gradients += updates_->Bytes(lead.trained());
  const RegionSizes regions =
      SizesOfBridges(lead.net().nodes(), setup_.plan.topology.workers_per_group());
  if (regions.tags == 0) return;
  const WorkerLink link = setup_.process->cluster().LinkTo(kGroup);
  sum->host.forever += LinkExchange::MostUnderWay(link, regions).bytes;
  for (const Trainer* trainer : teams->team(kGroup).trainers())
    sum->host.forever += LinkExchange::Bytes(regions, trainer->model().place().worker);
}

// MPI_Init has no deadline.
void RanksBackend::Watch(const std::string& where, StallDetector* finder) const {
  if (gradients_) finder->Add("MPI" + where, &start_);
}

void RanksBackend::Allocate(WorkerTeams* teams) {
  for (const auto& [group, team] : teams->all()) team->Allocate();
  const TrainedParams& trained = teams->lead().model().trained();
  table_ = trained.table;
  setup_.replica->Attach(table_, trained.params);
}

void RanksBackend::Connect(WorkerTeams*, const std::vector<int64_t>& steps, int64_t) {
  updates_->Connect(table_, steps[kGroup]);
}

// MPI starts when all processes are ready. MPI_Init waits for all of them, and a process that waits
// in it cannot say why another one has ended.
void RanksBackend::Fill() {
  if (!gradients_) return;
  const ActivityMark::Scope starts(&start_, Activity::kStartingMpi);
  world_ = std::make_unique<MpiWorld>();
  gradients_->Open(world_.get());
  regions_->Open(world_.get());
}

void RanksBackend::UseRestoredState() {
  if (restored_->any())
    restored_->End(updates_->Restore(restored_->floats()), setup_.HasFirstWorker(), setup_.job);
}

void RanksBackend::SaveState(std::vector<StoredTensor>* state) {
  updates_->Settle();
  for (StoredTensor& tensor : updates_->State()) state->push_back(std::move(tensor));
}

void RanksBackend::RestoreState(const Safetensors& state) {
  restored_->Read(state, [&](const std::string& name) { return updates_->HasState(name); });
}

std::vector<SliceState> RanksBackend::Gather(const std::vector<int64_t>& steps) {
  updates_->AwaitAll(steps[kGroup]);
  if (updates_->has_model()) return {};
  std::vector<SliceState> model;
  setup_.ExchangeInAll({steps[kGroup]}, [&] { model = updates_->ShareModel(); });
  return model;
}

void RanksBackend::BringOwnBack() { updates_->BringOwnBack(); }

void RanksBackend::Exchange(const std::vector<int64_t>& versions) {
  updates_->AwaitAll(versions[0]);
  updates_->ShareModel();
}

SyncStats RanksBackend::TakeStats(int) {
  SyncStats stats{.wait_ms = updates_->TakeWaitMs(),
                  .coding_ms = updates_->TakeCodingMs(),
                  .work_ms = updates_->TakeWorkMs()};
  if (!gradients_) return stats;
  stats.bytes_sent = gradients_->sent() + regions_->sent();
  stats.bytes_received = gradients_->received() + regions_->received();
  return stats;
}

SumTimes RanksBackend::MeasureSum(int64_t floats) {
  RankLink* const link =
      gradients_ ? gradients_.get() : setup_.process->cluster().LinkTo(kGroup).link;
  return singa::MeasureSum(link, floats);
}

void RanksBackend::Settle() {
  updates_->Settle();
  if (gradients_) gradients_->AwaitSent();
  if (regions_) regions_->AwaitSent();
  settled_ = true;
}

void RanksBackend::FailLinks() {
  const auto stopped = std::make_exception_ptr(Stopped());
  if (gradients_) gradients_->Fail(stopped);
  if (regions_) regions_->Fail(stopped);
  updates_->Fail(stopped);
}

void RanksBackend::Stop(WorkerTeams*) { FailLinks(); }

// If the job has not settled, threads that exchange may still wait for other processes, or use the
// params, and other processes may never end MPI.
void RanksBackend::Close() {
  FailLinks();
  if (!settled_) setup_.process->cluster().Fail(std::make_exception_ptr(Stopped()));
  updates_->StopExchange();
  for (MpiLink* const link : {gradients_.get(), regions_.get()})
    if (link) link->Close();
  if (!world_ || !settled_) return;
  const std::unique_ptr<MpiWorld> world = std::move(world_);
  try {
    world->Finalize(*setup_.deadline);
  } catch (const Error& error) {
    LOG(ERROR) << "MPI cannot end: " << error.what();
  }
}

}  // namespace singa
