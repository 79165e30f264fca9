#include "driver/launch/launcher_end.h"

#include <glog/logging.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <optional>
#include <thread>

#include "base/system/process_stat.h"
#include "base/thread/thread.h"
#include "driver/launch/launch_variables.h"
#include "driver/launch/launcher_rank.h"
#include "driver/signals/interrupt.h"
#include "singa/base/error.h"

namespace singa {
namespace {

constexpr std::chrono::milliseconds kLookForLauncher{200};

// Returns whether process `pid` started with the variable. Returns false if its environment cannot
// be read, as of another user's process, such as Slurm's daemon.
bool StartedWith(const std::string& variable, pid_t pid) {
  std::ifstream environment(StrCat("/proc/", pid, "/environ"), std::ios::binary);
  for (std::string entry; std::getline(environment, entry, '\0');)
    if (entry.rfind(variable + "=", 0) == 0) return true;
  return false;
}

// Polls until the launcher has ended, then ends this process. No system call reports the end in all
// cases: PR_SET_PDEATHSIG reports the end of the thread that started this process, which may come
// earlier, and containers may refuse pidfd_open.
[[noreturn]] void EndAfter(pid_t launcher, int64_t start) {
  sigset_t all;  // other threads take the signals
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
  while (MayRun(launcher, start)) std::this_thread::sleep_for(kLookForLauncher);
  Interrupt();  // needed if SIGTERM is ignored
  ::kill(::getpid(), SIGTERM);
  LOG(WARNING) << "the launcher, process " << launcher << ", has ended; this process ends, too";
  for (;;) ::pause();
}

}  // namespace

pid_t AncestorWithout(const std::string& variable, pid_t pid) {
  do {
    const std::optional<ProcessStat> stat = ReadProcessStat(pid);
    pid = stat ? static_cast<pid_t>(stat->parent) : 0;
  } while (pid > 0 && StartedWith(variable, pid));
  return pid;
}

void EndWithLauncher() {
  const char* const variable = LivingLauncherVariable();
  // Processes of a supervisor end with it anyway.
  if (!variable || std::getenv(kProcessVariable)) return;
  const pid_t launcher = AncestorWithout(variable, ::getpid());
  const std::optional<ProcessStat> stat = ReadProcessStat(launcher);
  if (!stat) return;
  StartThread([launcher, start = stat->start] { EndAfter(launcher, start); }).detach();
}

}  // namespace singa
