// CheckGpus checks a job's `gpu:` on this machine.
#pragma once

#include "driver/conf/check_values.h"

namespace singa {

// If the machine has no GPU, or the build has no code for GPUs, warns and clears `gpu` of `job`,
// which then runs on the CPU. If only other GPUs exist, adds an error with kExitNoDevice.
ConfFindings CheckGpus(JobProto* job);

}  // namespace singa
