// How a job goes on after it ended early.
#pragma once

#include <string>

#include "singa/base/error.h"
#include "singa/proto/job.pb.h"

namespace singa {

// For the end of an error after which the command may be tried again: that -resume goes on, and
// from which checkpoint. "": the workspace has none, or the error says so itself.
std::string ResumeAdvice(const JobProto& job, const Error& error);

}  // namespace singa
