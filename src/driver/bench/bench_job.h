// The job that `singa bench` runs in place of the user's: the training alone, which writes nothing.
#pragma once

#include <string>

#include "singa/proto/job.pb.h"

namespace singa {

// `job` without tests and layers that write files. Where `synthetic`, or where a file
// is missing, its stores are synthetic, with as many classes as the losses take, and its learning
// rate is next to nothing: noise must not make it diverge. `note` then says why; else it is empty.
// Throws ConfigError: the job cannot be built, or (exit code 66) needs a file that no noise
// replaces.
JobProto BenchJob(const JobProto& job, bool synthetic, std::string* note);

}  // namespace singa
