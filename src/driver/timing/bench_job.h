// BenchJob makes the job whose steps are timed, for `bench` and `plan`: the user's training without
// anything that writes files.
#pragma once

#include <string>

#include "singa/proto/job.pb.h"

namespace singa {

// Returns `job` without tests and layers that write files. If `synthetic`, or if a file is missing,
// its stores are synthetic, with as many classes as the losses take. The learning rate is then
// tiny, so that noise does not make it diverge. `note` then gives the reason, else it is empty.
// Throws ConfigError if the job cannot be built, or (exit code 66) if it needs a file that noise
// cannot replace.
JobProto BenchJob(const JobProto& job, bool synthetic, std::string* note);

}  // namespace singa
