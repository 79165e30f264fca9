// Where the values of a trained job's params are.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "singa/proto/job.pb.h"

namespace singa {

// Hears of each damaged checkpoint that is passed over.
using Warn = std::function<void(const std::string&)>;

// The job's checkpoint_path, or else the newest intact checkpoint of its workspace. Throws
// FileError(kExitNoInput) where there is neither.
std::vector<std::string> TrainedFiles(const JobProto& job, const Warn& warn);

// `path` as a checkpoint_path may name it; for a workspace its newest intact checkpoint. Throws
// FileError as above where a workspace has none.
std::string TrainedFile(const std::string& path, const Warn& warn);

}  // namespace singa
