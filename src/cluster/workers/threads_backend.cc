#include "cluster/workers/threads_backend.h"

#include "cluster/protocol/worker_places.h"
#include "cluster/workers/worker_teams.h"

namespace singa {

TeamSync ThreadsBackend::SyncOf(int group) {
  updates_.push_back(std::make_unique<ReplicaUpdates>(
      setup_.job, setup_.replica,
      [this, group](int worker) { return PlaceOf(setup_.plan.topology, group, worker); }));
  return {.updates = updates_.back().get()};
}

void ThreadsBackend::Allocate(WorkerTeams* teams) {
  Trainer* lead = nullptr;  // the first team's, whose values the others train, too
  for (const auto& [group, team] : teams->all()) {
    team->Allocate(lead);
    lead = &teams->lead();
  }
}

}  // namespace singa
