#include "cluster/workers/gpu_backend.h"

#include "cluster/workers/worker_teams.h"

namespace singa {

GpuBackend::GpuBackend(const SyncSetup& setup, const GpuGroupId& gpus)
    : setup_(setup), gpus_(gpus), updates_(setup.job, setup.replica) {}

TeamSync GpuBackend::SyncOf(int group) {
  return {.updates = &updates_,
          .between = setup_.Between(group),
          .gpus = GpuMember{.id = gpus_,
                            .members = setup_.job.cluster().nworkers_per_group(),
                            .deadline = setup_.deadline}};
}

void GpuBackend::Allocate(WorkerTeams* teams) {
  team_ = &teams->team(0);
  team_->Allocate();
}

// Each worker has the newest values of its own params.
std::vector<SliceState> GpuBackend::Gather(const std::vector<int64_t>&) {
  for (Trainer* trainer : team_->trainers()) trainer->path().Download();
  return {};
}

void GpuBackend::Stop(WorkerTeams* teams) { teams->Stop(); }

}  // namespace singa
