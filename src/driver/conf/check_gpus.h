// What a job's `gpu:` comes to on the machine that it is to run on.
#pragma once

#include "driver/conf/check_values.h"

namespace singa {

// Where the machine has no GPU at all, or the build no code for one, a warning: `job` names none
// any more, and runs on the CPU. One that is not there among others is an error, kExitNoDevice.
ConfFindings CheckGpus(JobProto* job);

}  // namespace singa
