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

void JobMemory::Check() const {
  const int64_t machine = UsableMemory(), needed = host.total();
  if (needed > machine)
    throw DeviceError(
        StrCat("the job needs ", needed >> 20, " MiB of memory, the machine has ", machine >> 20));
}

}  // namespace singa
