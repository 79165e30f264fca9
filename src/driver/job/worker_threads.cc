#include <algorithm>
#include <thread>

#include "base/cgroup.h"
#include "driver/job/run_job.h"
#include "train/omp_threads.h"

namespace singa {
namespace {

bool IsGiven(const JobProto& job, int asked) { return asked > 0 || job.has_num_openblas_threads(); }

int Wanted(const JobProto& job, int asked) {
  if (asked > 0) return asked;
  if (job.has_num_openblas_threads()) return std::max(1, job.num_openblas_threads());
  return UsableCores(static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace

int WorkerThreads(const JobProto& job, int asked) { return AllowedThreads(Wanted(job, asked)); }

int ThreadsOfWorker(const JobProto& job, int asked) {
  const int workers = job.cluster().nworker_groups() * job.cluster().nworkers_per_group();
  const int threads = Wanted(job, asked);
  return AllowedThreads(IsGiven(job, asked) ? threads : std::max(1, threads / workers));
}

}  // namespace singa
