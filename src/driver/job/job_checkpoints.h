// JobCheckpoints writes the checkpoints of one training job. It collects the state, and decides
// which checkpoint is the best and which ones stay.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cluster/workers/job_snapshot.h"
#include "driver/job/best_metric.h"
#include "driver/workspace/progress.h"
#include "driver/workspace/workspace.h"
#include "io/checkpoint/checkpoint.h"
#include "io/checkpoint/checkpoint_writer.h"
#include "singa/proto/job.pb.h"

namespace singa {

class JobCheckpoints {
 public:
  // All arguments must outlive it. `sync_rows` writes the rows of metrics so far to the disk. It is
  // called before the checkpoint after them becomes visible.
  JobCheckpoints(const JobProto& job, const Workspace& workspace, WorkerGroups* groups,
                 JobSnapshot* snapshot, Progress* progress, std::function<void()> sync_rows);

  // Loads the newest intact checkpoint into the workers and returns its step; nullopt if the
  // workspace has none. Throws DataError if none is intact or it does not fit the net.
  std::optional<int64_t> Resume();
  // Sets a function that is called after each commit.
  void OnCommit(std::function<void()> committed) { told_ = std::move(committed); }
  // Folder of the checkpoint that Resume loaded; "": none.
  const std::string& resumed_from() const { return resumed_from_; }

  // Commits a checkpoint after `updates` steps of group 0, if there is none yet. Other groups begin
  // no step meanwhile. Throws WriteError.
  void Commit(int64_t updates);
  // Commits, and tries again for some time if the disk refuses.
  void CommitLast(int64_t updates);
  // Commits. If Commit throws a WriteError, warns and returns false.
  bool TryCommit(int64_t updates);
  // Returns whether there is a checkpoint of `updates`. Other groups may have gone on since.
  bool Has(int64_t updates) const { return !committed_.empty() && committed_[0] == updates; }
  // Commits a checkpoint if `sums` has a new best value of the metric checkpoint_best.
  void NoteBest(const MetricSums& sums, int64_t updates);
  const BestMetric& best() const { return best_; }

 private:
  // Loads the checkpoint into the workers here. Throws as CheckFits and ThrowMisfit do.
  void RestoreGroups(const Checkpoint& checkpoint);
  // Warns of changes of the job since the checkpoint, and of states that are not used.
  void WarnOfChanges(const Checkpoint& checkpoint);
  void FindBest();
  void Write(FileSystem& fs, int64_t updates, const std::vector<int64_t>& steps_now);
  void LinkBest(FileSystem& fs);
  void Retain(FileSystem& fs, int64_t updates);
  // Removes unfinished and old checkpoints of an earlier run. This run goes on from `step`.
  void TidyUp(int64_t step);

  const JobProto& job_;
  const std::string workspace_;
  FileSystem& files_;
  WorkerGroups& groups_;
  JobSnapshot& snapshot_;
  Progress& progress_;
  const std::function<void()> sync_rows_;
  std::vector<int64_t> committed_;  // steps of each group in the last checkpoint
  bool in_round_ = false;  // that one was read, and a job that ends there ends its round first
  std::string resumed_from_;
  BestMetric best_;
  int64_t linked_ = -1;  // step to which checkpoint/best points
  std::function<void()> told_ = [] {};
};

}  // namespace singa
