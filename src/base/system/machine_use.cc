#include "base/system/machine_use.h"

#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <sstream>

namespace singa {
namespace {

double OwnSeconds() {
  timespec time = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

// The first line has the times of all cores in clock ticks, and a line for each core follows:
//   cpu  user nice system idle iowait irq softirq steal ...
//   cpu0 ...
std::optional<MachineUse> ReadMachineUse(const std::string& root) {
  std::ifstream in(root + "/proc/stat");
  MachineUse use;
  std::string line;
  if (!std::getline(in, line) || !line.starts_with("cpu ")) return {};
  std::istringstream numbers(line.substr(4));
  const double ticks = static_cast<double>(std::max(1L, sysconf(_SC_CLK_TCK)));
  double value = 0;
  for (int i = 0; i < 8 && numbers >> value; ++i) (i == 3 || i == 4 ? use.idle : use.busy) += value;
  use.busy /= ticks;
  use.idle /= ticks;
  use.own = OwnSeconds();
  while (std::getline(in, line) && line.starts_with("cpu")) ++use.cores;
  if (use.cores == 0 || numbers.fail()) return {};
  return use;
}

double CoresOfOthers(const MachineUse& before, const MachineUse& after) {
  const double busy = after.busy - before.busy, all = busy + after.idle - before.idle;
  if (!(all > 0)) return 0;
  return std::clamp((busy - (after.own - before.own)) / all, 0.0, 1.0) * after.cores;
}

}  // namespace singa
