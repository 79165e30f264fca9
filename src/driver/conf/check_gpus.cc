#include "driver/conf/check_gpus.h"

#include "base/text/counted.h"
#include "base/text/element_path.h"
#include "tensor/gpu/gpus.h"

namespace singa {

ConfFindings CheckGpus(JobProto* job) {
  ConfFindings found;
  if (job->gpu_size() == 0) return found;
  std::string why;
  const int count = CountGpus(&why);
  if (count == 0) {
    found.warnings.emplace_back("gpu", StrCat(why, ": the job runs on the CPU, in float32"));
    job->clear_gpu();
  }
  const int64_t workers =
      int64_t{job->cluster().nworker_groups()} * job->cluster().nworkers_per_group();
  if (job->gpu_size() > workers)
    found.warnings.emplace_back(
        ElementPath("gpu", workers),
        StrCat("names ", Counted(job->gpu_size(), "GPU"), ", the job has ",
               Counted(workers, "worker"),
               " (cluster.nworkers_per_group, nworker_groups): the rest is not used"));
  for (int i = 0; i < job->gpu_size(); ++i)
    if (job->gpu(i) >= count)
      found.errors.emplace_back(
          StrCat("gpu[", i, "]"),
          StrCat("is ", job->gpu(i), "; the last GPU of this machine is number ", count - 1),
          kExitNoDevice);
  return found;
}

}  // namespace singa
