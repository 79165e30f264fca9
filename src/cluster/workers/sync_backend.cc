#include "cluster/workers/sync_backend.h"

#include <glog/logging.h>

#include <utility>

#include "cluster/workers/gpu_backend.h"
#include "cluster/workers/host_memory_backend.h"
#include "cluster/workers/ranks_backend.h"
#include "cluster/workers/servers_backend.h"
#include "cluster/workers/threads_backend.h"

namespace singa {

void SyncSetup::ExchangeInAll(const std::vector<int64_t>& versions,
                              const std::function<void()>& own) const {
  ControlMessage order;
  order.mutable_exchange()->mutable_versions()->Add(versions.begin(), versions.end());
  if (process) process->leader()->TellAll(order);
  own();
  if (process) process->leader()->AwaitAll(ControlMessage::kExchanged);
}

int64_t SyncBackend::TakeOver(int group) {
  LOG(FATAL) << "no servers have the values of worker group " << group;
}

std::unique_ptr<SyncBackend> MakeSyncBackend(const SyncSetup& setup,
                                             std::unique_ptr<HostMemory> shared,
                                             const std::optional<GpuGroupId>& gpus) {
  switch (setup.plan.mode) {
    case SyncMode::kAlone:
    case SyncMode::kThreads:
      return std::make_unique<ThreadsBackend>(setup);
    case SyncMode::kHostMemory:
      return std::make_unique<HostMemoryBackend>(setup, std::move(shared));
    case SyncMode::kServers:
      return std::make_unique<ServersBackend>(setup);
    case SyncMode::kRankSums:
      return std::make_unique<RanksBackend>(setup);
    case SyncMode::kAllReduce:
      return std::make_unique<GpuBackend>(setup, gpus.value());
  }
  return nullptr;
}

}  // namespace singa
