// HostMemoryBackend is the backend of kHostMemory: the processes of one worker group share the
// values, states and gradients in memory of their host. Rank 0 makes this memory.
#pragma once

#include <memory>
#include <optional>

#include "cluster/workers/sync_backend.h"
#include "train/apply/replica_updates.h"
#include "train/reduce/group_memory.h"

namespace singa {

// Finds the memory that rank 0 shares. Throws DeviceError, or PeerError if `told` is invalid.
std::unique_ptr<HostMemory> FindMemory(const ControlMessage::Memory& told);

class HostMemoryBackend final : public SyncBackend {
 public:
  // `shared`: the memory that rank 0 shares; null at rank 0.
  HostMemoryBackend(const SyncSetup& setup, std::unique_ptr<HostMemory> shared);

  TeamSync SyncOf(int group) override;
  void Allocate(WorkerTeams* teams) override;
  void TellMemory() override;
  void Stop(WorkerTeams* teams) override;

 private:
  const SyncSetup setup_;
  std::unique_ptr<HostMemory> memory_;
  std::optional<GroupMemory> group_memory_;  // in memory_
  ReplicaUpdates updates_;
};

}  // namespace singa
