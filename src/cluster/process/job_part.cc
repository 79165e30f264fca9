#include "cluster/process/job_part.h"

namespace singa {

JobPart::JobPart(const JobProto& job, const ProcessPlace& place)
    : job_(job),
      rank_(place.rank),
      cores_(place.cores),
      one_host_(place.one_host),
      all_here_(place.reach == Reach::kThisHost),
      why_mpi_(place.why_mpi),
      why_not_mpi_(place.why_not_mpi),
      processes_before_(place.before_here),
      plan_(Plan("")) {
  for (const RoleId& worker : topology().Workers(rank_)) {
    Range& ids = groups_.try_emplace(worker.group, Range{worker.id, worker.id}).first->second;
    ids.last = worker.id + 1;
  }
}

SyncPlan JobPart::Plan(const std::string& why_not_gpus, std::optional<SyncMode> told) const {
  return PlanSync(job_, {.one_host = one_host_,
                         .rank = rank_,
                         .why_mpi = why_mpi_,
                         .why_not_mpi = why_not_mpi_,
                         .processes_before = processes_before_,
                         .why_not_gpus = why_not_gpus,
                         .told = told});
}

}  // namespace singa
