// Workspace is the folder to which a job writes. It is made if missing, and locked while a job
// runs.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file/file_system.h"
#include "base/file/lock_file.h"
#include "base/thread/clock.h"
#include "driver/workspace/progress.h"
#include "singa/proto/job.pb.h"

namespace singa {

struct WorkspaceOptions {
  FileSystem* files = nullptr;  // null: the system's
  int wait_seconds = 0;         // maximum wait for a lock that no process of this host holds
  int rank = 0;                 // rank of this process
  std::function<void(const std::string&)> say = nullptr;  // told who holds the lock
  LockCalls lock = kSystemLockCalls;
  const Clock* clock = nullptr;           // null: the steady clock
  std::function<void()> pause = nullptr;  // waits between two attempts; null: 0.2 s
};

class Workspace {
 public:
  // Creates the folders and takes the lock. Throws WriteError: 73 if a folder cannot be created or
  // a process of this host has the lock, 77 for no permission or another user's link. Throws
  // PeerError if another host still has the lock after wait_seconds; that host may be gone, and its
  // lock expires later. Throws Error with a signal's code if one comes meanwhile.
  explicit Workspace(std::string path, const WorkspaceOptions& options = {});
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  const std::string& path() const { return path_; }
  FileSystem* files() const { return files_; }
  std::string metrics() const { return path_ + "/metrics.jsonl"; }
  std::string visualization() const { return path_ + "/visualization"; }
  // The job as it runs, with the values of -set and without `repeat` blocks.
  std::string conf() const { return visualization() + "/job.conf"; }
  std::string graph(const std::string& phase) const {
    return visualization() + "/" + phase + "_net";
  }
  // Times of the layers of the train net in a step: [{"layer", "forward_ms", "backward_ms"}, ...].
  std::string layer_times() const { return visualization() + "/layers_ms.json"; }
  std::string log() const { return path_ + "/log"; }

 private:
  void AwaitLock(const WorkspaceOptions& options);

  std::string path_;
  std::optional<PosixFileSystem> own_files_;
  FileSystem* files_;
  std::unique_ptr<LockFile> lock_;
};

// Returns cluster.workspace, or ./singa-<name> with "_" for each "/" in the name.
std::string WorkspacePath(const JobProto& job);

}  // namespace singa
