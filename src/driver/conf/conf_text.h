// ConfText writes a job as a conf that `singa` can read again.
#pragma once

#include <string>

#include "singa/proto/job.pb.h"

namespace singa {

std::string ConfText(const JobProto& job);

}  // namespace singa
