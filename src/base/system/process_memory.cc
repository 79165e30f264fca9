#include "base/system/process_memory.h"

#include <malloc.h>

#include <fstream>
#include <sstream>
#include <string>

namespace singa {

std::optional<int64_t> ProcessMemory() {
  std::ifstream file("/proc/self/smaps_rollup");
  std::optional<int64_t> bytes;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string name;
    int64_t kib = 0;
    if (!(fields >> name >> kib) || (name != "Pss_Anon:" && name != "Pss_Shmem:")) continue;
    bytes = bytes.value_or(0) + (kib << 10);
  }
  return bytes;
}

void KeepFreedMemory() {
  constexpr int kLargest = 4 << 20, kMost = 1 << 30;  // bytes of a block, and of all at the end
  mallopt(M_MMAP_THRESHOLD, kLargest);
  mallopt(M_TRIM_THRESHOLD, kMost);
}

void ReturnFreedMemory() { malloc_trim(0); }

}  // namespace singa
