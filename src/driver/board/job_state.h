// JobState is what the files of a workspace say of its job, beside rows.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <string>

#include "driver/board/workspace_files.h"

namespace singa {

struct JobState {
  std::string name;  // "": not known
  // None: not known. No file of a workspace says how many steps train_epochs are.
  std::optional<int64_t> train_steps;
  bool locked_here = false;       // a process of this host has the workspace's lock
  bool locked_elsewhere = false;  // a process of another host had it last

  // Returns whether the job runs. Locks of other hosts cannot be seen, so there a change of the
  // rows within the last two minutes counts. `changed`: when they changed, in seconds since 1970.
  bool Runs(double changed) const;
};

// Reads the state of one job at each call. It parses the job's conf again only if that file has
// changed.
class JobStateReader {
 public:
  JobState Read(const WorkspaceFiles& files);

 private:
  void ReadConf(const WorkspaceFiles& files);

  struct stat conf_status_ = {};
  JobState conf_;  // what the conf says
};

}  // namespace singa
