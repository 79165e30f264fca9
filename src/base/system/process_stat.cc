#include "base/system/process_stat.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <sstream>
#include <string>

#include "base/system/descriptor.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// Returns 0 or the value of errno; ESRCH: the process has ended.
int Read(int64_t pid, ProcessStat* stat) {
  const Descriptor file(::open(StrCat("/proc/", pid, "/stat").c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return errno == ENOENT ? ESRCH : errno;
  std::array<char, 1024> bytes;  // 52 numbers and a name of 15 bytes
  const ssize_t n = ::read(file.get(), bytes.data(), bytes.size());
  if (n < 0) return errno;
  const std::string line(bytes.data(), static_cast<size_t>(n));
  const size_t name_end = line.rfind(')');  // a name may hold anything
  if (name_end == std::string::npos) return EIO;
  std::istringstream fields(line.substr(name_end + 1));
  std::string state, skipped;
  fields >> state >> stat->parent;
  if (state == "Z" || state == "X") return ESRCH;
  for (int field = 5; field < 22; ++field) fields >> skipped;
  return fields >> stat->start ? 0 : EIO;
}

}  // namespace

std::optional<ProcessStat> ReadProcessStat(int64_t pid) {
  ProcessStat stat;
  if (Read(pid, &stat) != 0) return {};
  return stat;
}

bool MayRun(int64_t pid, int64_t start) {
  ProcessStat stat;
  const int error = Read(pid, &stat);
  return error == 0 ? start < 0 || stat.start == start : error != ESRCH;
}

}  // namespace singa
