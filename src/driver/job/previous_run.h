// PreviousRun: what an earlier run left in a workspace. A new run sets it aside. One thread uses
// it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "driver/job/progress.h"
#include "driver/job/workspace.h"
#include "singa/base/error.h"
#include "singa/proto/job.pb.h"

namespace singa {

class PreviousRun {
 public:
  // `workspace` outlives it.
  explicit PreviousRun(const Workspace& workspace);

  // Moves the checkpoints and metrics of an earlier run to previous/. That folder's content moves
  // to previous.old/. Of a run that has no checkpoint the metrics move to metrics.jsonl.old. Those
  // of `files` that are moved get their new names. Says what was moved where; "": there was
  // nothing. Throws WriteError.
  std::string SetAside(std::vector<std::string>* files);
  // After the error `why` ended the run: moves all back, where the run has neither a checkpoint nor
  // rows of its steps. After an exit code of 128 or above nothing moves: -resume then goes on with
  // this run, and must not find the run before it.
  void PutBackAfter(const Error& why, Progress* progress);

  // Throws ConfigError, relative to the JobProto, where SetAside would move one of
  // checkpoint_path's `files`, of the run before, away from processes that have not read it yet.
  void CheckStays(const std::vector<std::string>& files) const;
  // A job whose start was lost between SetAside and its first checkpoint: checkpoint_path names the
  // places where that start has put what it named.
  JobProto AfterLostStart(JobProto job) const;

 private:
  void Move(const std::string& from, const std::string& to);
  void MoveAll(bool has_metrics);
  void PutBack();
  void UndoMoves() noexcept;
  // Where `path` is once the checkpoints are set aside.
  std::string PlaceSetAside(const std::string& path) const;

  FileSystem& files_;
  const std::string workspace_, metrics_, previous_;
  std::vector<std::pair<std::string, std::string>> moved_;  // from, to: by SetAside
};

// previous.old/: the run before the one that is set aside. It goes when the new run has a
// checkpoint.
std::string OldestRunFolder(const std::string& workspace);

}  // namespace singa
