#include "driver/conf/check_gpus.h"

#include "tensor/gpus.h"

namespace singa {

ConfFindings CheckGpus(JobProto* job) {
  ConfFindings found;
  if (job->gpu_size() == 0) return found;
  std::string why;
  const int count = CountGpus(&why);
  if (count == 0) {
    found.warnings.emplace_back("gpu", StrCat(why, ": the job runs on the CPU"));
    job->clear_gpu();
  }
  for (int i = 0; i < job->gpu_size(); ++i)
    if (job->gpu(i) >= count)
      found.errors.emplace_back(
          StrCat("gpu[", i, "]"),
          StrCat("is ", job->gpu(i), "; the last GPU of this machine is number ", count - 1),
          kExitNoDevice);
  return found;
}

}  // namespace singa
