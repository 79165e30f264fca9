// These functions handle the stores and files that a job's nets read.
#pragma once

#include <optional>
#include <vector>

#include "driver/conf/check_values.h"
#include "driver/facts/input_facts.h"
#include "singa/base/error.h"
#include "singa/proto/job.pb.h"

namespace singa {

// Returns the stores of all phases that run, and always those of training, with which a test is
// compared. `unreadable` is as for PeekInputs.
std::vector<InputFacts> StoresOf(const JobProto& job, JobUse use, ConfigErrors* unreadable);

// Returns `error`, with which a job ended, at the field that names the error's file; nullopt: no
// layer reads such a file. It is relative to the JobProto and has the exit code of `error`.
std::optional<ConfigError> AtFieldOfFile(const JobProto& job, JobUse use, const Error& error);

}  // namespace singa
