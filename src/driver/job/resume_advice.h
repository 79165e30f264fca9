// ResumeAdvice tells how to continue a job that ended early.
#pragma once

#include <filesystem>
#include <string>

#include "singa/base/error.h"
#include "singa/proto/job.pb.h"

namespace singa {

// Returns the end of an error's text after which the command may be tried again: it names -resume
// and the checkpoint. Returns "" if the workspace has no checkpoint that was written after `since`,
// or the error names -resume itself.
std::string ResumeAdvice(const JobProto& job, const Error& error,
                         std::filesystem::file_time_type since);

}  // namespace singa
