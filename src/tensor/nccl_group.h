// Groups of GPUs by NCCL.
#pragma once

#include <memory>
#include <string>

#include "tensor/gpu_group.h"

namespace singa {

bool CanUseNccl(std::string* why);
GpuGroupId NewNcclGroup();
std::unique_ptr<GpuGroup> JoinNcclGroup(const GpuMember& member, Gpu* gpu);

}  // namespace singa
