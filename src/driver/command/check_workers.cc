#include "driver/command/check_workers.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "base/text/counted.h"
#include "base/text/formatted.h"
#include "cluster/protocol/sync_plan.h"
#include "driver/job/run_job.h"
#include "driver/plan/division.h"
#include "driver/plan/part_memory.h"
#include "driver/plan/part_trainer.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// Returns the place of worker `number` of the first group.
WorkerPlace PlaceInGroup(const JobProto& job, const SyncPlan& plan, int number) {
  const int workers = job.cluster().nworkers_per_group();
  const int process = plan.topology.ProcessOfWorker({0, number});
  WorkerPlace place;
  place.threads = ThreadsOfWorker(job, 0);
  place.worker = number;
  place.workers = workers;
  place.groups = job.cluster().nworker_groups();
  place.here = plan.topology.WorkersIn(process, 0);
  while (place.first < number && plan.topology.ProcessOfWorker({0, place.first}) != process)
    ++place.first;
  place.shares_host = plan.mode == SyncMode::kHostMemory;
  return place;
}

// A worker's part of the job, planned.
struct Part {
  PartMemory memory;
  bool shares_host;
  Division division;
};

Part PartOf(const JobProto& job, const WorkerPlace& place) {
  const PartTrainer planned(job, place);
  const Trainer& trainer = planned.trainer();
  return {MemoryOf(trainer), place.shares_host, DivisionOf(trainer.model().net())};
}

void PrintPart(int first, int last, const Part& part) {
  const std::string who =
      first == last ? StrCat("worker ", first) : StrCat("workers ", first, " to ", last);
  std::string with;
  if (part.memory.shared > 0)
    with = StrCat(first == last ? ", with" : ", each with", " the parameters of its ",
                  part.shares_host ? "host" : "process");
  std::printf("  %-15s %s%s\n", who.c_str(), MiB(part.memory.total()).c_str(), with.c_str());
}

std::string DivisionText(const JobProto& job, const Part& part) {
  if (job.neuralnet().partition() == NetProto::kAuto)
    return "as partition: kAuto chooses; memory is counted for rows";
  if (part.division.empty()) return "by rows";
  return TextOf(part.division, job.cluster().nworkers_per_group());
}

}  // namespace

std::string MiB(int64_t bytes) {
  return Formatted(static_cast<double>(bytes) / (1 << 20), "%.2f MiB");
}

void PrintWorkers(const JobProto& asked) {
  const int workers = asked.cluster().nworkers_per_group();
  if (workers == 1 || asked.gpu_size() > 0) return;
  JobProto job = asked;
  if (job.neuralnet().partition() == NetProto::kAuto) SetDivision({}, job.mutable_neuralnet());
  const SyncPlan plan = PlanSync(job);
  constexpr int kMostShown = 16;
  const int shown = std::min(workers, kMostShown);
  std::vector<Part> parts;
  parts.reserve(shown);
  for (int i = 0; i < shown; ++i) parts.push_back(PartOf(job, PlaceInGroup(job, plan, i)));
  std::printf("workers           %d of a group, of %s each; layers are divided %s\n", workers,
              Counted(ThreadsOfWorker(job, 0), "thread").c_str(),
              DivisionText(job, parts[0]).c_str());
  for (size_t first = 0, next; first < parts.size(); first = next) {
    for (next = first + 1; next < parts.size() && parts[next].memory == parts[first].memory;)
      ++next;
    PrintPart(static_cast<int>(first), static_cast<int>(next) - 1, parts[first]);
  }
  if (workers > kMostShown) {
    std::printf("  ...\n");
    return;
  }
  int64_t all = 0;
  for (const Part& part : parts) all += part.memory.total();
  std::printf("  together        %s\n", MiB(all).c_str());
}

}  // namespace singa
