// These functions set up glog. Warnings and errors go to stderr as "warning: text"; after LogTo all
// lines go to files.
#pragma once

#include <string>

#include "singa/proto/job.pb.h"

namespace singa {

void StartLogging(const char* program);
// Sends lines to a file in `folder` (log_file.h) from now on. `rank` is this process's.
void LogTo(const std::string& folder, int rank);
// Returns log_dir of the SingaProto file `singa_conf` if it is given and sets log_dir, else
// <workspace>/log.
std::string LogFolder(const JobProto& job, const std::string& singa_conf);

}  // namespace singa
