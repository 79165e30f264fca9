// RanksBackend is the backend of kRankSums: each process of the job's one worker group has the
// values and the updater. The processes exchange numbers by MPI, or by messages of the job.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cluster/client/restored_state.h"
#include "cluster/ranks/linked_updates.h"
#include "cluster/workers/sync_backend.h"
#include "comm/collective/mpi_link.h"

namespace singa {

class RanksBackend final : public SyncBackend, private ModelState {
 public:
  // REQUIRES: the job has several processes.
  explicit RanksBackend(const SyncSetup& setup);
  ~RanksBackend() override;

  TeamSync SyncOf(int group) override;
  void AddMemory(WorkerTeams* teams, JobMemory* sum) const override;
  void Watch(const std::string& where, StallDetector* finder) const override;
  void Allocate(WorkerTeams* teams) override;
  void Connect(WorkerTeams* teams, const std::vector<int64_t>& steps, int64_t total) override;
  // Starts MPI, if it is used.
  void Fill() override;
  ModelState& model_state() override { return *this; }
  SyncStats TakeStats(int group) override;
  SumTimes MeasureSum(int64_t floats) override;
  void Settle() override;
  void Stop(WorkerTeams* teams) override;
  // Also ends MPI, if the job has settled.
  void Close() override;

 private:
  std::vector<SliceState> Gather(const std::vector<int64_t>& steps) override;
  void Exchange(const std::vector<int64_t>& versions) override;
  void BringOwnBack() override;
  void SaveState(std::vector<StoredTensor>* state) override;
  void RestoreState(const Safetensors& state) override;
  void UseRestoredState() override;
  void FailLinks();

  const SyncSetup setup_;
  const JobProto job_;  // as processes that apply their sums train it
  std::unique_ptr<Codec> codec_;
  ActivityMark start_;                            // of MPI
  std::unique_ptr<MpiWorld> world_;               // null: MPI is not used, or not started yet
  std::unique_ptr<MpiLink> gradients_, regions_;  // null: MPI is not used
  std::unique_ptr<LinkedUpdates> updates_;
  SliceTable table_;
  std::optional<RestoredState> restored_;  // of updates_
  bool settled_ = false;  // training has ended as it should, and nothing is under way
};

}  // namespace singa
