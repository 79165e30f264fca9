#include "cluster/workers/gpu_groups.h"

#include <glog/logging.h>
#include <sodium.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text/short_text.h"
#include "singa/base/error.h"
#include "tensor/gpu/gpus.h"

namespace singa {
namespace {

constexpr size_t kMostReason = 1000;  // bytes

// Why the workers of a process cannot add up by GPUs of their own; "": they can.
std::string WhyNotByGpus(const std::vector<int>& gpus, int workers) {
  if (workers == 0) return "it has no workers";
  if (std::ssize(gpus) < workers) return "a worker has no GPU";
  const std::set<int> different(gpus.begin(), gpus.begin() + workers);
  if (std::ssize(different) < workers) return "workers share a GPU";
  std::string why;
  return CanGroupGpus(&why) ? "" : why;
}

void WarnOfHost(const std::string& why) {
  LOG(WARNING) << "the GPUs' gradients are added up by the host, which is slower: " << why;
}

// Null: *why says why the workers here do not update their values on their GPUs.
std::unique_ptr<WorkerGroups> OnGpus(const JobProto& job, int threads, JobProcess* process,
                                     const GpuGroupId& id, std::string* why) {
  auto groups = std::make_unique<WorkerGroups>(job, threads, process, nullptr, id);
  *why = groups->WhyHostUpdates();
  return why->empty() ? std::move(groups) : nullptr;
}

// None: *why says why there cannot be one.
std::optional<GpuGroupId> NewGroup(std::string* why) {
  try {
    return NewGpuGroup();
  } catch (const DeviceError& error) {
    *why = error.what();
    return {};
  }
}

std::string TextOf(const GpuGroupId& id) {
  std::string text(2 * id.size() + 1, 0);
  sodium_bin2hex(text.data(), text.size(), reinterpret_cast<const unsigned char*>(id.data()),
                 id.size());
  text.pop_back();
  return text;
}

GpuGroupId IdIn(const std::string& text) {
  GpuGroupId id;
  size_t size = 0;
  auto* const bytes = reinterpret_cast<unsigned char*>(id.data());
  if (sodium_hex2bin(bytes, id.size(), text.data(), text.size(), nullptr, &size, nullptr) != 0 ||
      size != id.size())
    throw PeerError("process 0 does not say which group of GPUs to join");
  return id;
}

constexpr size_t kNumbersOfGpu = 1 + std::tuple_size_v<GpuIdentity>;
// As kGpus has them: of each worker's GPU its number, and what tells it from others.
std::vector<int64_t> GpusHere(const std::vector<int>& gpus, int workers) {
  std::vector<int64_t> numbers;
  for (int i = 0; i < workers; ++i) {
    numbers.push_back(gpus[i]);
    const GpuIdentity identity = IdentityOfGpu(gpus[i]);
    numbers.insert(numbers.end(), identity.begin(), identity.end());
  }
  return numbers;
}

// What two of the workers have in common; "": nothing. `gpus`: as of GpusHere, of all workers.
std::string SharedBy(const std::vector<int64_t>& gpus) {
  std::map<std::vector<int64_t>, size_t> workers;  // by identity
  for (size_t worker = 0; worker < gpus.size() / kNumbersOfGpu; ++worker) {
    const auto number = gpus.begin() + static_cast<int64_t>(worker * kNumbersOfGpu);
    const std::vector<int64_t> identity(number + 1, number + kNumbersOfGpu);
    const auto [first, is_new] = workers.try_emplace(identity, worker);
    if (!is_new)
      return StrCat("workers ", first->second, " and ", worker, " share GPU ", *number,
                    ", and NCCL needs one for each");
  }
  return "";
}

// Rank 0, whose own workers can: why not those of all can.
std::string AskOthers(JobProcess* process, const GpuGroupId& id) {
  const Topology& topology = process->topology();
  process->TellAll(kGpus, 0, {}, TextOf(id));
  std::vector<int64_t> gpus = GpusHere(process->plan().gpus, topology.WorkersIn(0, 0));
  std::string why;
  int rank = 0;
  for (const JobProcess::Order& answer : process->AwaitAtStart(kGpus)) {
    const auto workers = static_cast<size_t>(topology.WorkersIn(++rank, 0));
    if (answer.text.empty() && answer.numbers.size() != workers * kNumbersOfGpu)
      throw PeerError(StrCat("process ", rank, " does not say which GPUs it has"));
    if (!answer.text.empty() && why.empty())
      why = StrCat("process ", rank, ": ", ShortText(Printable(answer.text), kMostReason));
    gpus.insert(gpus.end(), answer.numbers.begin(), answer.numbers.end());
  }
  if (!why.empty()) return why;
  const std::string shared = SharedBy(gpus);
  if (!shared.empty() && process->job().cluster().has_all_reduce())
    throw ConfigError("cluster.all_reduce", shared);
  return shared;
}

std::unique_ptr<WorkerGroups> LeadGpuGroup(const JobProto& job, int threads, JobProcess* process) {
  std::string why = WhyNotByGpus(process->plan().gpus, process->topology().WorkersIn(0, 0));
  std::unique_ptr<WorkerGroups> groups;
  std::optional<GpuGroupId> id;
  if (why.empty()) id = NewGroup(&why);
  if (id) groups = OnGpus(job, threads, process, *id, &why);
  if (groups) {
    why = AskOthers(process, *id);
    process->TellAll(kGpus, 0, {}, why);
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
                                               JobProcess* process) {
  if (process) {
    std::unique_ptr<WorkerGroups> groups;
    if (process->plan().mode == SyncMode::kAllReduce) groups = LeadGpuGroup(job, threads, process);
    return groups ? std::move(groups) : std::make_unique<WorkerGroups>(job, threads, process);
  }
  std::optional<GpuGroupId> id;
  const SyncPlan plan = PlanSync(job, {.in_one_process = true});
  if (plan.mode == SyncMode::kAllReduce) {
    std::string why = WhyNotByGpus(plan.gpus, job.cluster().nworkers_per_group());
    if (why.empty()) id = NewGroup(&why);
    if (!id) WarnOfHost(why);
  }
  auto groups = std::make_unique<WorkerGroups>(job, threads, nullptr, nullptr, id);
  if (id && !groups->UpdatesOnGpus()) WarnOfHost(groups->WhyHostUpdates());
  return groups;
}

std::unique_ptr<WorkerGroups> JoinOnGpus(const JobProto& job, int threads, JobProcess* process,
                                         const JobProcess::Order& order) {
  const GpuGroupId id = IdIn(order.text);
  const int workers = process->topology().WorkersIn(process->rank(), 0);
  const std::vector<int>& gpus = process->plan().gpus;
  std::string why = WhyNotByGpus(gpus, workers);
  std::unique_ptr<WorkerGroups> groups;
  if (why.empty()) groups = OnGpus(job, threads, process, id, &why);
  process->Answer(kGpus, groups ? GpusHere(gpus, workers) : std::vector<int64_t>(),
                  ShortText(why, kMostReason));
  const JobProcess::Order verdict = process->First();
  if (verdict.what != kGpus || (verdict.text.empty() && !groups))
    throw PeerError("process 0 does not say whether GPUs add the gradients up");
  if (verdict.text.empty()) return groups;
  LOG(INFO) << "the GPUs' gradients are added up by the host: " << Printable(verdict.text);
  return nullptr;
}

}  // namespace singa
