#include "driver/job/core_share.h"

#include <glog/logging.h>

#include <iterator>

#include "base/thread/core_binding.h"
#include "cluster/protocol/sync_plan.h"
#include "driver/job/run_job.h"

namespace singa {

std::optional<CoreShare> ShareOfCores(const Topology& topology, int rank, int threads, int cores) {
  const int processes = topology.processes();
  const int workers = topology.worker_groups() * topology.workers_per_group();
  if (processes == 1 || int64_t{workers} * threads != cores) return std::nullopt;
  const auto here = static_cast<int>(std::ssize(topology.Workers(rank)));
  if (here * processes != workers) return std::nullopt;
  return CoreShare{.first = rank * here * threads, .count = here * threads};
}

void BindToShare(const JobProto& job, const LaunchPlace& place, int threads) {
  const int cores = AffinityCores();
  if (job.gpu_size() > 0 || place.reach != Reach::kThisHost || CoresOfJob() != cores) return;
  const auto share = ShareOfCores(PlanSync(job).topology, place.rank, threads, cores);
  if (!share) return;
  if (BindToCores(share->first, share->count))
    LOG(INFO) << "process " << place.rank << " has " << share->count << " of the " << cores
              << " cores, from core " << share->first << " on";
  else
    LOG(WARNING) << "the system refuses to bind process " << place.rank << " to its cores";
}

}  // namespace singa
