// PreviousRun sets aside the files that an earlier run left in a workspace. One thread uses it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "driver/workspace/progress.h"
#include "driver/workspace/workspace.h"
#include "singa/base/error.h"
#include "singa/proto/job.pb.h"

namespace singa {

class PreviousRun {
 public:
  // `workspace` must outlive it.
  explicit PreviousRun(const Workspace& workspace);

  // Moves the checkpoints, metrics and event files of an earlier run to previous/, and that
  // folder's old content to previous.old/. If the run has no checkpoint, only its metrics move, to
  // metrics.jsonl.old. The new run then removes the event files, whose steps it will do again.
  // Moved files in `files` get their new names. Returns a text about the moves; "": there was
  // nothing to move. Throws WriteError.
  std::string SetAside(std::vector<std::string>* files);
  // Moves all back after the error `why` ended the run, if the run has neither a checkpoint nor
  // rows of its steps. Moves nothing if the exit code is 128 or above: -resume then continues this
  // run, and must not find the run before.
  void PutBackAfter(const Error& why, Progress* progress);

  // Throws ConfigError, relative to the JobProto, if SetAside would move one of checkpoint_path's
  // `files` in previous/ before all processes have read it.
  void CheckStays(const std::vector<std::string>& files) const;
  // Returns `job` for a start that was lost between SetAside and its first checkpoint. Its
  // checkpoint_path names the places to which that start moved the files.
  JobProto AfterLostStart(JobProto job) const;

 private:
  void Move(const std::string& from, const std::string& to);
  void MoveAll(bool has_metrics);
  void PutBack();
  void UndoMoves() noexcept;
  // Returns the place of `path` after the checkpoints are set aside.
  std::string PlaceSetAside(const std::string& path) const;

  FileSystem& files_;
  const std::string workspace_, metrics_, previous_;
  std::vector<std::pair<std::string, std::string>> moved_;  // moves of SetAside: from, to
};

// Returns previous.old/, the folder of the run before the one that is set aside. It is removed when
// the new run has a checkpoint.
std::string OldestRunFolder(const std::string& workspace);

}  // namespace singa
