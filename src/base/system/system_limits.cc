#include "base/system/system_limits.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <vector>

#include "base/system/cgroup.h"

namespace singa {
namespace {

std::optional<int64_t> SoftLimit(decltype(RLIMIT_AS) resource) {
  rlimit limit;
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return static_cast<int64_t>(limit.rlim_cur);
}

std::string Joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += StrCat(all.empty() ? "" : ", ", text);
  return all;
}

// Returns whether RLIMIT_NPROC certainly holds for this user. Root may exceed it, unless a
// container took this right away.
bool MindsProcesses() { return geteuid() != 0; }

std::vector<std::string> MemoryLimits() {
  std::vector<std::string> limits;
  if (const auto bytes = SoftLimit(RLIMIT_AS))
    limits.push_back(StrCat(*bytes >> 20, " MiB of memory addresses (RLIMIT_AS, `ulimit -v`)"));
  if (const auto bytes = SoftLimit(RLIMIT_DATA))
    limits.push_back(StrCat(*bytes >> 20, " MiB of data memory (RLIMIT_DATA, `ulimit -d`)"));
  return limits;
}

}  // namespace

std::string SystemLimits(const std::string& root) {
  std::vector<std::string> limits = MemoryLimits();
  if (const auto pids = CgroupPids(root))
    limits.insert(limits.begin(),
                  StrCat(pids->most, " processes and threads of the control group (pids.max), ",
                         pids->used, " in use"));
  if (const auto most = SoftLimit(RLIMIT_NPROC); most && MindsProcesses())
    limits.insert(limits.begin(),
                  StrCat(*most, " processes and threads of this user (RLIMIT_NPROC, `ulimit -u`)"));
  int64_t threads = 0;
  if (limits.empty() && std::ifstream(root + "/proc/sys/kernel/threads-max") >> threads)
    limits.push_back(StrCat(threads, " threads of the machine (kernel.threads-max)"));
  return Joined(limits);
}

std::string OutOfMemoryText(const std::string& root) {
  std::vector<std::string> limits = MemoryLimits();
  if (const auto bytes = CgroupMemory(root))
    limits.push_back(StrCat(*bytes >> 20, " MiB of the control group (memory.max)"));
  return limits.empty() ? "out of memory" : StrCat("out of memory; limits: ", Joined(limits));
}

Error CannotStart(const std::string& what, int error) {
  const std::string limits = error == EPERM ? "" : SystemLimits();
  return Error(kExitCantCreate, StrCat("cannot start ", what, ": ", std::strerror(error),
                                       limits.empty() ? "" : "; limits: ", limits));
}

}  // namespace singa
