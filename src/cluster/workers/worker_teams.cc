#include "cluster/workers/worker_teams.h"

#include <utility>

#include "base/thread/thread.h"

namespace singa {

WorkerTeams::WorkerTeams(const SyncSetup& setup, SyncBackend* backend,
                         std::function<void(const std::exception_ptr&)> failed)
    : has_workers_(setup.HasWorkers()), failed_(std::move(failed)) {
  WorkerPlace place;
  place.threads = setup.threads;
  place.workers = setup.job.cluster().nworkers_per_group();
  place.groups = setup.job.cluster().nworker_groups();
  if (!setup.process) {
    for (; place.group < place.groups; ++place.group, place.first_here += place.workers)
      MakeTeam(setup, place, place.workers, backend);
  } else {
    place.cores = setup.process->part().cores();
    for (const auto& [group, workers] : setup.process->part().groups()) {
      place.group = group;
      place.first = workers.first;
      MakeTeam(setup, place, workers.size(), backend);
      place.first_here += workers.size();
    }
  }
  if (!has_workers_) {  // only a net tells which params there are
    place.first = place.workers - 1;
    place.group = place.groups - 1;
    MakeTeam(setup, place, 1, backend);
  }
  int workers = 0;
  for (const auto& [group, team] : teams_) workers += team->size();
  CheckThreads(workers * (setup.threads - 1));  // OpenMP makes these threads in the first step
}

void WorkerTeams::MakeTeam(const SyncSetup& setup, WorkerPlace place, int workers,
                           SyncBackend* backend) {
  const TeamSync sync = backend->SyncOf(place.group);
  place.shares_host = sync.shares_host;
  place.gpus = sync.gpus;
  teams_[place.group] =
      std::make_unique<WorkerTeam>(setup.job, TeamSetup{.place = place,
                                                        .workers = workers,
                                                        .gpus = setup.plan.gpus,
                                                        .senders = sync.senders,
                                                        .replica = setup.replica,
                                                        .updates = sync.updates,
                                                        .between = sync.between,
                                                        .link = sync.link,
                                                        .deadline = setup.deadline,
                                                        .failed = failed_});
}

std::vector<int> WorkerTeams::here() const {
  std::vector<int> groups;
  for (const auto& [group, team] : teams_)
    if (has_workers_) groups.push_back(group);
  return groups;
}

std::string WorkerTeams::WhyHostUpdates() {
  for (const auto& [group, team] : teams_)
    for (const Trainer* trainer : team->trainers())
      if (!trainer->why_host_updates().empty()) return trainer->why_host_updates();
  return "";
}

JobMemory WorkerTeams::memory() const {
  JobMemory sum;
  for (const auto& [group, team] : teams_)
    if (has_workers_) sum.Add(team->memory());
  return sum;
}

int64_t WorkerTeams::CountSkips() {
  int64_t count = 0;
  for (const auto& [group, team] : teams_) count += team->lead().updates().skips();
  return count;
}

void WorkerTeams::BroadcastValues() {
  for (const auto& [group, team] : teams_) team->BroadcastValues(&lead());
}

void WorkerTeams::Stop() {
  for (const auto& [group, team] : teams_) team->Stop();
}

}  // namespace singa
