// Where the values of a trained job's params are.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "singa/proto/job.pb.h"

namespace singa {

// Hears of each damaged checkpoint that is passed over.
using Warn = std::function<void(const std::string&)>;

// What the job was trained to: the newest intact checkpoint of its workspace, as -resume has it, or
// else its checkpoint_path. Throws FileError(kExitNoInput) where there is neither.
std::vector<std::string> TrainedFiles(const JobProto& job, const Warn& warn);

// What -test judges: the job's checkpoint_path, or else the newest intact checkpoint of its
// workspace. Throws as above.
std::vector<std::string> FilesToTest(const JobProto& job, const Warn& warn);

}  // namespace singa
