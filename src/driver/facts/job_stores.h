// The stores and files that a job's nets read.
#pragma once

#include <optional>
#include <vector>

#include "driver/conf/check_values.h"
#include "driver/facts/input_facts.h"
#include "singa/base/error.h"
#include "singa/proto/job.pb.h"

namespace singa {

// The stores of all phases that run. Those of training are always among them: a test is compared
// with them. `unreadable`: as of PeekInputs.
std::vector<InputFacts> StoresOf(const JobProto& job, JobUse use, ConfigErrors* unreadable);

// `error`, which a job ended with, at the field that names the file that it is about; nothing: no
// layer reads such a file. Relative to the JobProto, with the exit code of `error`.
std::optional<ConfigError> AtFieldOfFile(const JobProto& job, JobUse use, const Error& error);

}  // namespace singa
