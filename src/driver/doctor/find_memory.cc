#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "base/system/cgroup.h"
#include "base/text/formatted.h"
#include "driver/doctor/finding.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

constexpr int64_t kLeastMemory = 64 << 20;  // 64 MiB: the smallest job and its libraries
constexpr int64_t kFewMemory = 512 << 20;   // 512 MiB

// Returns the bytes that are available without swapping; -1: unknown.
int64_t AvailableMemory() {
  std::ifstream file("/proc/meminfo");
  std::string name;
  int64_t kib = 0;
  for (std::string unit; file >> name >> kib; std::getline(file, unit))
    if (name == "MemAvailable:") return kib * 1024;
  return -1;
}

std::string LimitText(rlim_t limit, bool bytes) {
  if (limit == RLIM_INFINITY) return "unlimited";
  return bytes ? SizeText(static_cast<int64_t>(limit)) : StrCat(limit);
}

rlim_t Limit(int resource) {
  struct rlimit limit {};
  return getrlimit(static_cast<__rlimit_resource>(resource), &limit) == 0 ? limit.rlim_cur
                                                                          : RLIM_INFINITY;
}

void FindOpenFiles(Findings* found) {
  const rlim_t files = Limit(RLIMIT_NOFILE);
  Finding finding{"open files", LimitText(files, false)};
  if (files < 1024) {
    finding.status = files < 32 ? Finding::kFail : Finding::kWarn;
    finding.advice = "raise it: ulimit -n 4096";
  }
  found->push_back(finding);
}

}  // namespace

std::string SizeText(int64_t bytes) {
  const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  auto size = static_cast<double>(bytes);
  int unit = 0;
  for (; size >= 1024 && unit < 5; ++unit) size /= 1024;
  return Formatted(size, unit ? "%.1f " : "%.0f ") + units[unit];
}

void FindMemory(Findings* found) {
  const int64_t machine = int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  found->push_back({"memory", SizeText(machine)});
  int64_t free = AvailableMemory();
  if (const auto limit = CgroupMemory(); limit && *limit < machine) {
    const int64_t used = CgroupMemoryUsed().value_or(0), left = std::max<int64_t>(0, *limit - used);
    found->push_back({"memory of the control group",
                      StrCat(SizeText(*limit), ", of which ", SizeText(left), " are not used")});
    free = free < 0 ? left : std::min(free, left);
  }
  if (free < 0) return;
  Finding finding{"memory to be had", SizeText(free)};
  if (free < kFewMemory) {
    finding.status = free < kLeastMemory ? Finding::kFail : Finding::kWarn;
    finding.advice = "end other programs, or use another machine";
  }
  found->push_back(finding);
}

void FindLimits(Findings* found) {
  FindOpenFiles(found);
  const rlim_t space = Limit(RLIMIT_AS);
  Finding address{"address space", LimitText(space, true)};
  if (space != RLIM_INFINITY) {
    address.status = Finding::kWarn;
    address.advice = "files are mapped into it: ulimit -v unlimited";
  }
  found->push_back(address);
  found->push_back({"locked memory", LimitText(Limit(RLIMIT_MEMLOCK), true)});
  const rlim_t core = Limit(RLIMIT_CORE);
  found->push_back({"core files", core == 0 ? "none" : LimitText(core, true)});
}

}  // namespace singa
