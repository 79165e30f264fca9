// What launch_child.cc and the tests that start it know of each other.
#pragma once

#include <string>

#include "singa/proto/job.pb.h"

namespace singa {

// A job of `processes` processes, one worker each.
inline JobProto LaunchedJob(int processes, const std::string& workspace) {
  JobProto job;
  job.set_name("launched");
  job.mutable_cluster()->set_workspace(workspace);
  job.mutable_cluster()->set_nworkers_per_group(processes);
  return job;
}

}  // namespace singa
