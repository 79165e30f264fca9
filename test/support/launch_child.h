// These definitions are shared by launch_child.cc and the tests that start it.
#pragma once

#include <string>

#include "singa/proto/job.pb.h"

namespace singa {

// Makes a job of `processes` processes with one worker each.
inline JobProto LaunchedJob(int processes, const std::string& workspace) {
  JobProto job;
  job.set_name("launched");
  job.mutable_cluster()->set_workspace(workspace);
  job.mutable_cluster()->set_nworkers_per_group(processes);
  return job;
}

}  // namespace singa
