#include "cluster/workers/make_worker_groups.h"

#include <glog/logging.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/text/short_text.h"
#include "singa/base/error.h"
#include "tensor/gpu/gpus.h"

namespace singa {
namespace {

constexpr size_t kMostReason = 1000;  // bytes

// Returns why the workers of a process cannot add up by GPUs of their own; "": they can.
std::string WhyNotByGpus(const SyncPlan& plan) {
  std::string why = plan.why_not_own_gpus;
  if (!why.empty()) return why;
  return CanGroupGpus(&why) ? "" : why;
}

void WarnOfHost(const std::string& why) {
  LOG(WARNING) << "the GPUs' gradients are added up by the host, which is slower: " << why;
}

// Returns null, and sets *why, if the workers here do not update their values on their GPUs.
std::unique_ptr<WorkerGroups> OnGpus(const JobProto& job, int threads, JobProcess* process,
                                     GroupOptions options, std::string* why) {
  auto groups = std::make_unique<WorkerGroups>(job, threads, process, std::move(options));
  *why = groups->teams().WhyHostUpdates();
  return why->empty() ? std::move(groups) : nullptr;
}

// Returns none, and sets *why, if no group of GPUs can be made.
std::optional<GpuGroupId> NewGroup(std::string* why) {
  try {
    return NewGpuGroup();
  } catch (const DeviceError& error) {
    *why = error.what();
    return {};
  }
}

GpuGroupId IdIn(const ControlMessage::GpuGroup& group) {
  GpuGroupId id;
  if (group.id().size() != id.size())
    throw PeerError("process 0 does not say which group of GPUs to join");
  std::memcpy(id.data(), group.id().data(), id.size());
  return id;
}

// Returns the GPU of each worker here, in order.
ControlMessage::Gpus GpusHere(const std::vector<int>& gpus, int workers) {
  ControlMessage::Gpus here;
  for (int i = 0; i < workers; ++i) {
    ControlMessage::Gpus::Gpu* const gpu = here.add_gpu();
    gpu->set_number(gpus[i]);
    const GpuIdentity identity = IdentityOfGpu(gpus[i]);
    gpu->mutable_identity()->Add(identity.begin(), identity.end());
  }
  return here;
}

// Returns whether `gpus` has one GPU for each of `workers` workers.
bool AreOf(int workers, const ControlMessage::Gpus& gpus) {
  constexpr int kWords = std::tuple_size_v<GpuIdentity>;
  return gpus.gpu_size() == workers && std::ranges::all_of(gpus.gpu(), [](const auto& gpu) {
           return gpu.identity_size() == kWords;
         });
}

// Returns a text about the GPU that two workers share; "": there is none. `gpus`: of all workers,
// in order.
std::string SharedBy(const ControlMessage::Gpus& gpus) {
  std::map<std::vector<uint32_t>, int> workers;  // by identity
  for (int worker = 0; worker < gpus.gpu_size(); ++worker) {
    const ControlMessage::Gpus::Gpu& gpu = gpus.gpu(worker);
    const std::vector<uint32_t> identity(gpu.identity().begin(), gpu.identity().end());
    const auto [first, is_new] = workers.try_emplace(identity, worker);
    if (!is_new)
      return StrCat("workers ", first->second, " and ", worker, " share GPU ", gpu.number(),
                    ", and NCCL needs one for each");
  }
  return "";
}

void TellVerdict(const std::string& why_not, JobProcess* process) {
  ControlMessage control;
  ControlMessage::GpuVerdict* const verdict = control.mutable_gpu_verdict();
  if (!why_not.empty()) verdict->set_why_not(why_not);
  process->leader()->TellAll(control);
}

// Asks the other processes, at rank 0, and returns why their GPUs cannot add up; "": they can.
// REQUIRES: those of rank 0 can.
std::string AskOthers(JobProcess* process, const GpuGroupId& id) {
  const Topology& topology = process->part().topology();
  ControlMessage question;
  question.mutable_gpu_group()->set_id(id.data(), id.size());
  process->leader()->TellAll(question);
  ControlMessage::Gpus gpus = GpusHere(process->part().plan().gpus, topology.WorkersIn(0, 0));
  std::string why;
  int rank = 0;
  for (const ControlMessage& answer : process->leader()->AwaitAtStart(ControlMessage::kGpus)) {
    const std::string& why_not = answer.gpus().why_not();
    if (!AreOf(topology.WorkersIn(++rank, 0), answer.gpus()) && why_not.empty())
      throw PeerError(StrCat("process ", rank, " does not say which GPUs it has"));
    if (!why_not.empty() && why.empty())
      why = StrCat("process ", rank, ": ", ShortText(Printable(why_not), kMostReason));
    gpus.mutable_gpu()->MergeFrom(answer.gpus().gpu());
  }
  if (!why.empty()) return why;
  std::string shared = SharedBy(gpus);
  if (!shared.empty() && process->part().plan().all_reduce_is_set)
    throw ConfigError("cluster.all_reduce", shared);
  return shared;
}

std::unique_ptr<WorkerGroups> LeadGpuGroup(const JobProto& job, int threads, JobProcess* process,
                                           const GroupCalls& calls) {
  std::string why = WhyNotByGpus(process->part().plan());
  std::unique_ptr<WorkerGroups> groups;
  std::optional<GpuGroupId> id;
  if (why.empty()) id = NewGroup(&why);
  if (id) groups = OnGpus(job, threads, process, {.gpus = id, .calls = calls}, &why);
  if (groups) {
    why = AskOthers(process, *id);
    TellVerdict(why, process);
  }
  if (why.empty()) {
    LOG(INFO) << "the GPUs of the workers of all processes add the gradients up";
    return groups;
  }
  WarnOfHost(why);
  return nullptr;
}

}  // namespace

std::unique_ptr<WorkerGroups> MakeWorkerGroups(const JobProto& job, int threads,
                                               JobProcess* process, const GroupCalls& calls) {
  if (process) {
    std::unique_ptr<WorkerGroups> groups;
    if (process->part().plan().mode == SyncMode::kAllReduce)
      groups = LeadGpuGroup(job, threads, process, calls);
    if (groups) return groups;
    return std::make_unique<WorkerGroups>(job, threads, process, GroupOptions{.calls = calls});
  }
  const SyncPlan plan = PlanSync(job, {.in_one_process = true});
  if (plan.mode == SyncMode::kAllReduce) {
    std::string why = WhyNotByGpus(plan);
    std::optional<GpuGroupId> id;
    if (why.empty()) id = NewGroup(&why);
    std::unique_ptr<WorkerGroups> groups;
    if (id) groups = OnGpus(job, threads, nullptr, {.gpus = id, .calls = calls}, &why);
    if (groups) return groups;
    WarnOfHost(why);
  }
  return std::make_unique<WorkerGroups>(job, threads, nullptr, GroupOptions{.calls = calls});
}

std::unique_ptr<WorkerGroups> JoinOnGpus(const JobProto& job, int threads, JobProcess* process,
                                         const ControlMessage::GpuGroup& order) {
  const GpuGroupId id = IdIn(order);
  const SyncPlan& plan = process->part().plan();
  std::string why = WhyNotByGpus(plan);
  std::unique_ptr<WorkerGroups> groups;
  if (why.empty()) groups = OnGpus(job, threads, process, {.gpus = id}, &why);
  ControlMessage answer;
  if (groups)
    *answer.mutable_gpus() =
        GpusHere(plan.gpus, plan.topology.WorkersIn(process->part().rank(), 0));
  else
    answer.mutable_gpus()->set_why_not(ShortText(why, kMostReason));
  process->follower()->Answer(answer);
  const ControlMessage verdict = process->follower()->First();
  const std::string& why_not = verdict.gpu_verdict().why_not();
  if (!verdict.has_gpu_verdict() || (why_not.empty() && !groups))
    throw PeerError("process 0 does not say whether GPUs add the gradients up");
  if (why_not.empty()) return groups;
  LOG(INFO) << "the GPUs' gradients are added up by the host: " << Printable(why_not);
  return nullptr;
}

}  // namespace singa
