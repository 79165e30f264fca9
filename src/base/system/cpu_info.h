// CpuInfo reads what the system says of its CPUs.
#pragma once

#include <string>

namespace singa {

// Returns the value of the first line "name : value" of /proc/cpuinfo; "": there is none.
std::string CpuInfo(const std::string& name);

}  // namespace singa
