#include "base/system/cpu_info.h"

#include <fstream>

namespace singa {

std::string CpuInfo(const std::string& name) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(name)) {
      const size_t at = line.find(": ");
      if (at != std::string::npos) return line.substr(at + 2);
    }
  return "";
}

}  // namespace singa
