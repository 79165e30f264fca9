#include "base/system/host_name.h"

#include <unistd.h>

#include <array>
#include <fstream>

namespace singa {

std::string HostName() {
  std::array<char, 256> name = {};
  return ::gethostname(name.data(), name.size() - 1) == 0 && name[0] ? name.data() : "unknown-host";
}

std::string BootId() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  file >> id;
  return id;
}

}  // namespace singa
