#include "driver/job/announcement.h"

#include "base/text/counted.h"
#include "cluster/protocol/gradient_codec.h"
#include "driver/version.h"

namespace singa {
namespace {

int64_t MiB(const MemoryUse& use) { return (use.total() + (1 << 20) - 1) >> 20; }

// Returns ", in 2 processes" if the job has several.
std::string ProcessesText(const JobProcess* process) {
  return process ? StrCat(", in ", process->part().processes(), " processes") : "";
}

// Returns how the processes' gradients come together.
std::string HowText(const JobProto& job, WorkerGroups* groups) {
  const SyncMode mode = groups->plan().mode;
  if (!groups->process() && mode != SyncMode::kAllReduce) return "";
  const AllReduceProto& conf = job.cluster().all_reduce();
  const AllReduceProto::Compression codec = conf.compression();
  const bool coded =
      codec != AllReduceProto::kNone && codec != AllReduceProto::kPartial && UsesCodec(mode, job);
  return StrCat(", gradients by ", TextOf(groups->plan()),
                coded ? ", compressed by " + AllReduceProto::Compression_Name(codec) : "",
                mode == SyncMode::kAllReduce ? " (" + WhyNccl(conf) + ")" : "");
}

}  // namespace

std::string WorkersText(const ClusterProto& cluster) {
  const std::string of = Counted(cluster.nworkers_per_group(), "worker");
  const int groups = cluster.nworker_groups();
  return groups == 1 ? of : StrCat(groups, " groups of ", of);
}

std::string Announcement(const JobProto& job, WorkerGroups* groups, int threads,
                         const std::string& workspace) {
  const JobMemory memory = groups->memory();
  int64_t params = 0;
  for (const auto& param : groups->lead().model().params().params()) params += param->size();
  return StrCat("singa ", kSingaVersion, ": job \"", job.name(), "\", ",
                Counted(groups->lead().model().net().nodes().size(), "layer"), ", ",
                Counted(params, "parameter"), ", ", MiB(memory.host),
                groups->process() ? " MiB in process 0, " : " MiB, ",
                memory.gpus.total() > 0 ? StrCat(MiB(memory.gpus), " MiB on GPUs, ") : "",
                WorkersText(job.cluster()), " of ", Counted(threads, "thread"),
                ProcessesText(groups->process()), HowText(job, groups), ", workspace ", workspace);
}

}  // namespace singa
