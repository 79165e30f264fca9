#include "driver/job/run_facts.h"

#include <map>
#include <set>

#include "base/file/sha256.h"
#include "base/text/short_text.h"
#include "driver/job/announcement.h"
#include "driver/job/conf_fields.h"
#include "driver/job/resume_fit.h"
#include "driver/version.h"
#include "driver/workspace/progress.h"
#include "io/checkpoint/trained_classes.h"
#include "singa/base/error.h"
#include "tensor/gpu/gpus.h"

namespace singa {
namespace {

constexpr char kUpdater[] = "updater";
constexpr char kTestThreads[] = "test_threads";
// Values that not all jobs write: they need class folders or checkpoint_best, or a newer singa.
constexpr const char* kSaidBySome[] = {kClasses, kUpdater, kTestThreads};

// Describes the GPUs and their libraries, on which the bits of products and sums depend.
void DescribeGpus(WorkerGroups* groups, std::map<std::string, RunValue>* run) {
  std::set<std::string> models;
  for (const int g : groups->here())
    for (Trainer* trainer : groups->team(g).trainers())
      if (Stream* const stream = trainer->model().ctx().stream) models.insert(stream->gpu().name());
  (*run)["gpus"] = JoinNames({models.begin(), models.end()});
  (*run)["updates"] = groups->teams().UpdatesOnGpus() ? "GPUs" : "host";
  (*run)["CUDA"] = GpuVersions();
  for (const GpuLibrary& each : GpuLibraries())
    if (std::string why; each.library->Available(&why)) (*run)[each.name] = VersionOf(each);
}

// Returns the value of a fact about a run, as a warning shows it.
std::string ValueIn(const std::map<std::string, RunValue>& run, const std::string& name) {
  constexpr size_t kMostShown = 100;  // bytes
  const auto it = run.find(name);
  return it == run.end() ? "not known"
                         : "\"" + ShortText(Printable(it->second.text()), kMostShown) + "\"";
}

}  // namespace

void DescribeRun(const JobProto& job, WorkerGroups* groups, CheckpointContent* content) {
  JobProto hashed = job;
  hashed.clear_step();
  const std::string text = hashed.ShortDebugString();
  content->conf_sha256 = Sha256Hex(text.data(), text.size());
  content->conf = FieldsOf(job);
  content->run["version"] = std::string(kSingaVersion);
  content->run["build"] = BuildId();
  content->run["seed"] = job.seed();
  content->run[kUpdater] = UpdaterName(job);
  content->run["threads"] = int64_t{groups->lead().model().ctx().threads};
  if (job.has_checkpoint_best())  // the state holds the best value
    content->run[kTestThreads] = int64_t{groups->lead().model().evaluation_threads()};
  content->run["topology"] = WorkersText(job.cluster());
  content->run["instruction_set"] = InstructionSet();
  SetClasses(groups->lead().model().readers().ClassNames(), &content->run);
  content->run["plain_kernels"] = int64_t{job.plain_kernels()};
  if (job.gpu_size() == 0) return;
  content->run["precision"] = JobProto::Precision_Name(job.precision());
  DescribeGpus(groups, &content->run);
}

std::vector<std::string> ChangesSince(const Checkpoint& checkpoint, const JobProto& job,
                                      WorkerGroups* groups) {
  std::vector<std::string> changes;
  CheckpointContent now;
  DescribeRun(job, groups, &now);
  const Manifest& then = checkpoint.manifest();
  const std::string fields = then.conf.empty() ? "" : ChangedFields(then.conf, now.conf);
  if (then.conf.empty() ? now.conf_sha256 != then.conf_sha256 : !fields.empty())
    changes.push_back(StrCat("the configuration differs from that of the checkpoint",
                             fields.empty() ? "" : ": ", fields));
  std::set<std::string> changed;
  for (const auto& [name, value] : now.run)
    if (const auto it = then.run.find(name); it == then.run.end() || it->second != value)
      changed.insert(name);
  for (const auto& [name, value] : then.run)
    if (now.run.count(name) == 0) changed.insert(name);
  for (const char* name : kSaidBySome)
    if (then.run.count(name) == 0 || now.run.count(name) == 0) changed.erase(name);
  for (const std::string& name : changed)
    changes.push_back(StrCat("\"", name, "\" differs from the checkpoint (was ",
                             ValueIn(then.run, name), ", is ", ValueIn(now.run, name),
                             "): the results may differ from those of an uninterrupted run"));
  return changes;
}

}  // namespace singa
