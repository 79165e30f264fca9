#include "train/trainer/job_memory.h"

#include <unistd.h>

#include <algorithm>

#include "base/system/cgroup.h"
#include "singa/base/error.h"

namespace singa {

int64_t UsableMemory() {
  const int64_t machine = int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  return std::min(machine, CgroupMemory().value_or(machine));
}

void CheckFits(const std::string& what, int64_t bytes) {
  const int64_t usable = UsableMemory();
  if (bytes <= usable) return;
  throw DeviceError(StrCat(what, " needs ", bytes >> 20, " MiB of memory, the machine has ",
                           usable >> 20,
                           CgroupMemory() == usable ? " (memory.max of its control group)" : ""));
}

void MemoryUse::Add(const MemoryUse& other) {
  params += other.params;
  gradients += other.gradients;
  updater += other.updater;
  arena += other.arena;
  unplanned += other.unplanned;
  forever += other.forever;
  pinned += other.pinned;
  objects += other.objects;
}

void JobMemory::Add(const JobMemory& other) {
  host.Add(other.host);
  gpus.Add(other.gpus);
}

}  // namespace singa
