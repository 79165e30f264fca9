#include "driver/job/announcement.h"

#include "base/text/counted.h"
#include "driver/version.h"

namespace singa {
namespace {

int64_t MiB(const MemoryUse& use) { return (use.total() + (1 << 20) - 1) >> 20; }

}  // namespace

std::string Announcement(const JobProto& job, WorkerGroups* groups, int threads,
                         const std::string& workspace) {
  const JobMemory memory = groups->memory();
  int64_t params = 0;
  for (const auto& param : groups->lead().params().params()) params += param->size();
  return StrCat("singa ", kSingaVersion, ": job \"", job.name(), "\", ",
                Counted(groups->lead().net().nodes().size(), "layer"), ", ",
                Counted(params, "parameter"), ", ", MiB(memory.host), " MiB, ",
                memory.gpus.total() > 0 ? StrCat(MiB(memory.gpus), " MiB on GPUs, ") : "",
                groups->Text(), " of ", Counted(threads, "thread"), ", workspace ", workspace);
}

}  // namespace singa
