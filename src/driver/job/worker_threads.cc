#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/thread/core_binding.h"
#include "base/thread/omp_threads.h"
#include "driver/job/run_job.h"
#include "driver/launch/launcher_rank.h"

namespace singa {
namespace {

bool IsGiven(const JobProto& job, int asked) { return asked > 0 || job.has_num_openblas_threads(); }

// Reads OMP_NUM_THREADS, such as "4" or, for nested teams, "4,2". Returns 0 if it is not set.
int OmpNumThreads() {
  const char* const text = std::getenv("OMP_NUM_THREADS");
  return text ? std::max(0, std::atoi(text)) : 0;
}

int Wanted(const JobProto& job, int asked) {
  if (asked > 0) return asked;
  if (job.has_num_openblas_threads()) return std::max(1, job.num_openblas_threads());
  return OmpNumThreads() > 0 ? OmpNumThreads() : UsableCores();
}

// Returns whether a launcher has bound this process to its own cores.
bool HasOwnCores() {
  return AffinityCores() < sysconf(_SC_NPROCESSORS_ONLN) && FindLauncherRank().has_value();
}

}  // namespace

int CoresOfJob() {
  return HasOwnCores() ? UsableCores(static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)))
                       : UsableCores();
}

int WorkerThreads(const JobProto& job, int asked) { return AllowedThreads(Wanted(job, asked)); }

int ThreadsOfWorker(const JobProto& job, int asked) {
  const ClusterProto& cluster = job.cluster();
  const int all = cluster.nworker_groups() * cluster.nworkers_per_group();
  const int here = std::clamp(cluster.nworkers_per_procs(), 1, all);
  // OMP_NUM_THREADS is for one process.
  const int share = OmpNumThreads() > 0 || HasOwnCores() ? here : all;
  const int threads = Wanted(job, asked);
  return AllowedThreads(IsGiven(job, asked) ? threads : std::max(1, threads / share));
}

}  // namespace singa
