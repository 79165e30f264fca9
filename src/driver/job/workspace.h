// The folder a job writes to: made when missing, locked while a job runs.
#pragma once

#include <string>

#include "base/descriptor.h"
#include "singa/proto/job.pb.h"

namespace singa {

class Workspace {
 public:
  // Creates the folders and takes the lock. Throws FileError: 73 cannot create, 77 no permission,
  // 73 where another job holds the lock.
  explicit Workspace(std::string path);
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  const std::string& path() const { return path_; }
  std::string metrics() const { return path_ + "/metrics.jsonl"; }
  std::string visualization() const { return path_ + "/visualization"; }
  std::string graph(const std::string& phase) const {
    return visualization() + "/" + phase + "_net";
  }
  std::string log() const { return path_ + "/log"; }

  // Moves the checkpoints and metrics of an earlier run to previous/, in place of what is there, or
  // the metrics of one that has no checkpoint to metrics.jsonl.old. Says what was moved where; "":
  // there was nothing. Throws FileError.
  std::string SetAsidePreviousRun();

 private:
  std::string path_;
  Descriptor lock_;
};

// cluster.workspace, or ./singa-<name>.
std::string WorkspacePath(const JobProto& job);

}  // namespace singa
