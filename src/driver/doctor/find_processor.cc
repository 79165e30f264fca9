#include <cstdlib>
#include <thread>
#include <vector>

#include "base/system/cgroup.h"
#include "base/system/cpu_info.h"
#include "base/thread/core_binding.h"
#include "base/thread/omp_threads.h"
#include "base/thread/thread.h"
#include "driver/doctor/finding.h"
#include "driver/version.h"
#include "singa/base/error.h"
#include "singa/base/str_cat.h"
#include "singa/math/gemm.h"

namespace singa {
namespace {

std::string ModelName() {
  const std::string name = CpuInfo("model name");
  return name.empty() ? "unknown" : name;
}

// Returns the CPU's features by which SINGA or a library chooses kernels.
std::string Features() {
  const std::string flags = StrCat(" ", CpuInfo("flags"), " ");
  std::string features;
  for (const char* name : {"avx2", "fma", "avx512f", "avx512_vnni", "avx512_bf16", "amx_tile"})
    if (flags.find(StrCat(" ", name, " ")) != std::string::npos)
      features += StrCat(features.empty() ? "" : " ", name);
  return features.empty() ? "none that kernels use" : features;
}

void FindCores(Findings* found) {
  const int cores = AffinityCores();
  Finding finding{"cores", StrCat(cores)};
  const auto limit = CgroupCores();
  if (limit && *limit < cores)
    finding.value += StrCat(", of which the control group grants ", *limit,
                            "; default threads of a job: ", UsableCores(cores));
  found->push_back(finding);
}

void FindThreads(Findings* found) {
  const char* spin = std::getenv("GOMP_SPINCOUNT");
  const char* policy = std::getenv("OMP_WAIT_POLICY");
  const int cores = AffinityCores(), threads = AllowedThreads(omp_get_max_threads());
  const int most = AllowedThreads(cores);
  Finding finding{"OpenMP threads",
                  StrCat(threads, most < cores ? StrCat(", OMP_THREAD_LIMIT ", most) : "",
                         policy ? StrCat(", OMP_WAIT_POLICY ", policy) : "",
                         spin ? StrCat(", GOMP_SPINCOUNT ", spin) : "")};
  if (threads > cores) {
    finding.status = Finding::kWarn;
    finding.advice = StrCat("OMP_NUM_THREADS asks for more than the ", cores, " cores: unset it");
  } else if (most < cores) {
    finding.status = Finding::kWarn;
    finding.advice = StrCat("OMP_THREAD_LIMIT leaves workers fewer than the ", cores, " cores");
  } else if ((policy && (policy[0] == 'a' || policy[0] == 'A')) ||
             (spin && std::atof(spin) > 100000)) {
    finding.status = Finding::kWarn;
    finding.advice = "threads spin for long: two jobs on one machine slow each other down";
  }
  found->push_back(finding);
}

// Checks that a matrix product has the right numbers and that a thread starts.
void FindComputing(Findings* found) {
  constexpr int64_t kSide = 64;
  const std::vector<float> ones(kSide * kSide, 1);
  std::vector<float> product(kSide * kSide);
  Context ctx;
  const OmpThreads threads(ctx.threads);
  Gemm(ctx, kSide, kSide, kSide, 1, {ones.data(), kSide}, {ones.data(), kSide}, 0, product.data(),
       kSide);
  Finding finding{"computing", "a product of matrices is right, a thread starts"};
  for (float number : product) {
    if (number == kSide) continue;
    finding.status = Finding::kFail;
    finding.value = "a product of matrices is wrong";
    finding.advice = "set plain_kernels: true in the job, and report this CPU";
  }
  try {
    StartThread([] {}).join();
  } catch (const Error& error) {
    finding.status = Finding::kFail;
    finding.value = error.what();
    finding.advice = "raise `ulimit -u`, or the pids limit of the container";
  }
  found->push_back(finding);
}

}  // namespace

void FindProcessor(Findings* found) {
  found->push_back({"processor", ModelName()});
  Finding set{"instruction set", InstructionSet()};
  if (set.value == "sse2") {
    set.status = Finding::kWarn;
    set.advice =
        "without AVX2 training is several times slower; in a virtual machine, pass the "
        "host's CPU through";
  }
  found->push_back(set);
  found->push_back({"CPU features", Features()});
  FindCores(found);
  FindThreads(found);
  FindComputing(found);
}

}  // namespace singa
