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

void GpuBackend::Allocate(WorkerTeams* teams) { teams->team(0).Allocate(); }

void GpuBackend::Stop(WorkerTeams* teams) { teams->Stop(); }

}  // namespace singa
