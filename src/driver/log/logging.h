// glog's lines. Warnings and errors are shown on stderr, as "warning: text"; all lines go to files
// once LogTo names a folder.
#pragma once

#include <string>

#include "singa/proto/job.pb.h"

namespace singa {

void StartLogging(const char* program);
// Lines go to a file in `folder` (log_file.h) from now on. `rank`: of this process.
void LogTo(const std::string& folder, int rank);
// log_dir of the SingaProto file `singa_conf` where given and set, else <workspace>/log.
std::string LogFolder(const JobProto& job, const std::string& singa_conf);

}  // namespace singa
