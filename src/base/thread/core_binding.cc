#include "base/thread/core_binding.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/system/cgroup.h"
#include "base/thread/mutex.h"

namespace singa {
namespace {

std::optional<cpu_set_t> CoresOfThread() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return std::nullopt;  // more than 1024 cores
  return set;
}

bool Bind(const cpu_set_t& set) { return sched_setaffinity(0, sizeof set, &set) == 0; }

// The cores that the process could run on before it was bound.
class GivenCores {
 public:
  void Keep(const cpu_set_t& set) {
    const MutexLock lock(&lock_);
    if (!set_) set_ = set;
  }
  std::optional<cpu_set_t> set() {
    const MutexLock lock(&lock_);
    return set_;
  }

 private:
  Mutex lock_;
  std::optional<cpu_set_t> set_ GUARDED_BY(lock_);
};

GivenCores& Given() {
  static GivenCores given;
  return given;
}

// Returns the cores that the process may run on, whatever BindToCores has bound it to.
std::optional<cpu_set_t> CoresOfProcess() {
  const auto given = Given().set();
  return given ? given : CoresOfThread();
}

}  // namespace

int AffinityCores() {
  const auto set = CoresOfProcess();
  if (set) return std::max(1, CPU_COUNT(&*set));
  return static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
}

int UsableCores(int cores, const std::string& root) {
  const double granted = std::floor(CgroupCores(root).value_or(cores));
  return static_cast<int>(std::max(1., std::min<double>(cores, granted)));
}

bool BindToCores(int first, int count) {
  const auto all = CoresOfProcess();
  if (!all) return false;
  cpu_set_t own;
  CPU_ZERO(&own);
  for (int core = 0, at = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &*all)) continue;
    if (at >= first && at < first + count) CPU_SET(core, &own);
    ++at;
  }
  if (!Bind(own)) return false;
  Given().Keep(*all);
  return true;
}

AllCores::AllCores() {
  const auto all = Given().set();
  const auto now = CoresOfThread();
  if (!all || !now) return;
  before_ = *now;
  changed_ = Bind(*all);
}

AllCores::~AllCores() {
  if (changed_) Bind(before_);
}

}  // namespace singa
