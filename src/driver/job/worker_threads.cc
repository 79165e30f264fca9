#include <algorithm>
#include <thread>

#include "base/cgroup.h"
#include "driver/job/run_job.h"

namespace singa {

int ThreadsOfWorker(const JobProto& job, int asked) {
  const int workers = job.cluster().nworker_groups() * job.cluster().nworkers_per_group();
  const bool given = asked > 0 || job.has_num_openblas_threads();
  const int threads = WorkerThreads(job, asked);
  return given ? threads : std::max(1, threads / workers);
}

int WorkerThreads(const JobProto& job, int asked) {
  if (asked > 0) return asked;
  if (job.has_num_openblas_threads()) return std::max(1, job.num_openblas_threads());
  return UsableCores(static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace singa
