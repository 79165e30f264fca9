#include "base/system/process_stat.h"

#include <fstream>
#include <sstream>
#include <string>

#include "singa/base/error.h"

namespace singa {

std::optional<ProcessStat> ReadProcessStat(int64_t pid) {
  std::ifstream file(StrCat("/proc/", pid, "/stat"));
  std::string line;
  std::getline(file, line);
  const size_t name_end = line.rfind(')');  // a name may hold anything
  if (name_end == std::string::npos) return {};
  std::istringstream fields(line.substr(name_end + 1));
  std::string state, skipped;
  ProcessStat stat;
  fields >> state >> stat.parent;
  if (state == "Z" || state == "X") return {};
  for (int field = 5; field < 22; ++field) fields >> skipped;
  if (!(fields >> stat.start)) return {};
  return stat;
}

}  // namespace singa
