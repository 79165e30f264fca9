// Makes groups of GPUs by NCCL.
#pragma once

#include <memory>
#include <string>

#include "tensor/gpu/gpu_group.h"

namespace singa {

// Returns whether the library is there, with all functions that are called; if not, *why says why.
bool CanUseNccl(std::string* why);
// Begins to listen for the members. Throws DeviceError if this machine cannot.
GpuGroupId NewNcclGroup();
std::unique_ptr<GpuGroup> JoinNcclGroup(const GpuMember& member, Gpu* gpu);

}  // namespace singa
