// Says which GPUs this build is for.
#pragma once

namespace singa {

// The least compute capability that kernels were compiled for, as 10 major + minor.
extern const int kLeastCapability;

}  // namespace singa
