#include <filesystem>

#include "base/text/counted.h"
#include "driver/doctor/finding.h"
#include "driver/doctor/nccl_trial.h"
#include "singa/base/error.h"
#include "tensor/gpu/gpus.h"

namespace singa {
namespace {

void FindGpu(int number, Findings* found) {
  Finding finding{StrCat("GPU ", number), ""};
  try {
    const std::unique_ptr<Gpu> gpu = OpenGpu(number);
    finding.value =
        StrCat(gpu->name(), ", compute capability ", CapabilityOfGpu(number), ", ",
               SizeText(gpu->free_bytes()), " of ", SizeText(gpu->total_bytes()), " free");
  } catch (const DeviceError& error) {
    finding.value = error.what();
    finding.status = Finding::kWarn;
    finding.advice = "no job can use it: leave it out of `gpu`, and check it with nvidia-smi";
  }
  found->push_back(finding);
}

void FindNoGpu(const std::string& why, Findings* found) {
  Finding finding{"GPU", StrCat(why, ": jobs run on the CPU; `gpu` in job.conf draws a warning")};
  std::error_code error;
  if (std::filesystem::exists("/dev/nvidiactl", error)) {
    finding.status = Finding::kWarn;
    finding.advice = "this machine has a GPU, which cannot be used";
  }
  found->push_back(finding);
}

// Also reports the libraries for GPUs on a machine without a GPU, which does not need them.
void FindLibraries(bool has_gpu, Findings* found) {
  for (const GpuLibrary& each : GpuLibraries()) {
    std::string why;
    if (each.library->Available(&why))
      found->push_back({each.name, VersionOf(each)});
    else if (has_gpu)
      found->push_back(
          {each.name, "not there: " + why, Finding::kWarn, "a job on a GPU may need it"});
    else
      found->push_back({each.name, "not there: " + why});
  }
}

// why: what TryNccl returns.
void FindNccl(int gpus, const std::string& why, Findings* found) {
  Finding finding{"kNccl", StrCat("the sum over ", Counted(gpus, "GPU"), " is right")};
  if (!why.empty()) {
    finding.value = StrCat("no sum over ", Counted(gpus, "GPU"), ": ", why);
    finding.status = Finding::kWarn;
    finding.advice = "jobs on several GPUs are slower without NCCL; jobs on one GPU do not need it";
  }
  found->push_back(finding);
}

}  // namespace

void FindGpus(Findings* found) {
  const std::string why_no_sum = TryNccl();  // before this process uses a GPU
  std::string why;
  const int count = CountGpus(&why);
  for (int i = 0; i < count; ++i) FindGpu(i, found);
  if (count > 0) FindNccl(count, why_no_sum, found);
  if (count == 0) FindNoGpu(why, found);
  if (!HasGpuDriver()) return;
  found->push_back({"CUDA", GpuVersions()});
  FindLibraries(count > 0, found);
}

}  // namespace singa
