// The checkpoints of one training job: which state goes in, which become the best, which stay.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cluster/workers/worker_groups.h"
#include "driver/job/progress.h"
#include "driver/job/workspace.h"
#include "io/checkpoint/checkpoint.h"
#include "io/checkpoint/checkpoint_writer.h"
#include "singa/proto/job.pb.h"

namespace singa {

class JobCheckpoints {
 public:
  // All of them must outlive it. `sync_rows` brings the rows of metrics so far to the disk, before
  // a checkpoint is seen that has them behind it.
  JobCheckpoints(const JobProto& job, const Workspace& workspace, WorkerGroups* groups,
                 Progress* progress, std::function<void()> sync_rows);

  // Puts the newest intact checkpoint into the workers and returns its step; nothing where the
  // workspace has none. Throws DataError: none is intact, or it does not fit the net.
  std::optional<int64_t> Resume();
  // Told of each one that is committed.
  void OnCommit(std::function<void()> committed) { told_ = std::move(committed); }
  // Where Resume found it; "": nowhere.
  const std::string& resumed_from() const { return resumed_from_; }

  // Commits one after `updates` steps of the first group, if there is none yet; the others stand
  // still meanwhile. Throws WriteError.
  void Commit(int64_t updates);
  // Commits, and waits a while for a disk that refuses.
  void CommitLast(int64_t updates);
  // Commits. Where Commit throws a WriteError, this warns and returns false.
  bool TryCommit(int64_t updates);
  // Whether there is one of `updates`; of several groups others may have gone on since.
  bool Has(int64_t updates) const { return !committed_.empty() && committed_[0] == updates; }
  // Commits one if `sums` has a new best of the metric checkpoint_best: of a loss the least, of
  // anything else the largest.
  void NoteBest(const MetricSums& sums, int64_t updates);

 private:
  void RestoreBest(const Checkpoint& checkpoint);
  void Write(FileSystem& fs, int64_t updates, const std::vector<int64_t>& steps_now);
  void LinkBest(FileSystem& fs);
  void Retain(FileSystem& fs, int64_t updates);
  // Removes what a run before this one may have left, which goes on from `step`.
  void TidyUp(int64_t step);
  void WarnOfChanges(const Checkpoint& checkpoint);
  void Describe(CheckpointContent* content) const;

  const JobProto& job_;
  const std::string workspace_;
  FileSystem& files_;
  WorkerGroups& groups_;
  Progress& progress_;
  const std::function<void()> sync_rows_;
  std::vector<int64_t> committed_;  // steps of each group in the last one
  std::string resumed_from_;
  std::optional<double> best_;
  int64_t best_step_ = -1;
  int64_t linked_ = -1;  // what checkpoint/best is
  std::function<void()> told_ = [] {};
};

}  // namespace singa
