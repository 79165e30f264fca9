#include "driver/launch/supervisor.h"

#include <poll.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <map>
#include <utility>

#include "base/system/failpoint.h"
#include "base/system/system_limits.h"
#include "base/text/counted.h"
#include "cluster/protocol/sync_plan.h"
#include "driver/launch/job_processes.h"
#include "driver/launch/launch_place.h"
#include "driver/launch/restart_budget.h"
#include "driver/workspace/workspace.h"
#include "io/checkpoint/checkpoint.h"

namespace singa {
namespace {

bool HasResume(const std::vector<std::string>& args) {
  return std::any_of(args.begin(), args.end(),
                     [](const std::string& arg) { return arg == "-resume" || arg == "--resume"; });
}

bool IsStall(const ChildEnd& end) { return end.signal == 0 && end.code == kExitStalled; }

// Describes a loss. A process that hears nothing from another ends with kExitPeerLost. A process
// that stalls tells all others, and all end with kExitStalled.
std::string LossOf(const JobEnd& end) {
  if (IsStall(end.end)) return "the job stalled";
  const bool lost_another = end.end.signal == 0 && end.end.code == kExitPeerLost;
  return StrCat("process ", end.rank,
                lost_another ? " lost contact with another process" : " was lost");
}

// Counts the losses of a job, and decides whether it may go on.
class Losses {
 public:
  Losses(int most, std::function<std::optional<int64_t>()> kills)
      : most_(most), restarts_(most), kills_(std::move(kills)), killed_(kills_()) {}

  // Adds processes that were lost at the same time. Returns in words how the first of them ended.
  std::string Add(const std::vector<JobEnd>& lost) {
    const auto before = std::exchange(killed_, kills_());
    last_ = lost.front();
    out_of_memory_ = last_.end.signal == SIGKILL && before && killed_ > before;
    if (out_of_memory_) ++memory_losses_;
    for (const JobEnd& one : lost) ++counts_[LossOf(one)];
    return How();
  }
  // Returns whether `count` more processes may be started again alone, and counts them.
  bool Replaces(int64_t count) {
    if (replaced_ + count > most_ || memory_losses_ > most_) return false;
    replaced_ += static_cast<int>(count);
    return true;
  }
  // Returns the pause before all start again. Throws Error if they may not.
  std::chrono::seconds NextPause() {
    const auto pause = memory_losses_ > most_ ? std::nullopt : restarts_.Next();
    if (!pause) GiveUp();
    return *pause;
  }
  void Forgive() {
    restarts_.Forgive();
    replaced_ = 0;
    counts_.clear();
  }
  int replaced() const { return replaced_; }
  int restarts() const { return restarts_.used(); }

 private:
  std::string How() const {
    return out_of_memory_ ? "killed: " + OutOfMemoryText() : ToString(last_.end);
  }
  [[noreturn]] void GiveUp() const {
    std::string who;
    for (const auto& [loss, count] : counts_)
      who +=
          StrCat(who.empty() ? "" : ", ", loss, " ", count == 1 ? "once" : Counted(count, "time"));
    const ExitCode code = out_of_memory_       ? kExitNoDevice
                          : IsStall(last_.end) ? kExitStalled
                                               : kExitPeerLost;
    throw Error(code, StrCat(who, " (last: ", How(), "); the job gives up after ",
                             Counted(restarts(), "restart"), " (cluster.max_restarts)"));
  }

  const int most_;
  RestartBudget restarts_;
  const std::function<std::optional<int64_t>()> kills_;
  std::optional<int64_t> killed_;  // number of kills at the last loss
  JobEnd last_;
  bool out_of_memory_ = false;         // the last loss was for lack of memory
  int memory_losses_ = 0;              // number of such losses in total
  int replaced_ = 0;                   // processes started again alone since the last checkpoint
  std::map<std::string, int> counts_;  // losses by kind since the last checkpoint
};

}  // namespace

void AwaitPause(std::chrono::milliseconds pause, const StopSignals& signals) {
  pollfd watched = {signals.descriptor(), POLLIN, 0};
  ::poll(&watched, 1, static_cast<int>(pause.count()));
}

std::string OwnProgram() {
  const char* const starter = std::getenv("SINGA_STARTER");
  return starter ? starter : "/proc/self/exe";
}

ExitCode Supervise(const JobProto& job, int processes, const std::vector<std::string>& args,
                   Progress* progress, const SuperviseOptions& options) {
  const SyncPlan plan = PlanSync(job);
  JobCommand command{.program = options.program,
                     .args = args,
                     .processes = processes,
                     .coordinator = CoordinatorOf(job),
                     .starts_at_once = plan.mode == SyncMode::kAllReduce,
                     .start_timeout = std::chrono::seconds(job.cluster().start_timeout()),
                     .end_timeout = options.end_timeout,
                     .stop_timeout = options.stop_timeout};
  StopSignals signals(options.clock);
  const int most = job.cluster().max_restarts();
  Losses losses(most, options.out_of_memory);
  command.committed = [&] { losses.Forgive(); };
  command.is_replaceable = [&plan](int rank) { return plan.topology.IsReplaceable(rank); };
  command.replaces = [&](const std::vector<JobEnd>& lost) {
    if (!losses.Replaces(std::ssize(lost))) return false;
    ForgetFailpoints();
    const std::string how = losses.Add(lost);
    for (const JobEnd& one : lost)
      progress->Warn(StrCat(LossOf(one), " (", how, "); a new process takes its place (",
                            losses.replaced(), " of ", most, ")"));
    return true;
  };
  for (;;) {
    JobProcesses all(command, &signals);
    const JobEnd end = all.Run();
    if (end.code) {
      if (end.rank != 0)
        progress->Warn(StrCat("process ", end.rank, " ended the job (", ToString(end.end), ")"));
      return *end.code;
    }
    const std::string lost = StrCat(LossOf(end), " (", losses.Add({end}), ")");
    if (signals.asked() != kExitOk) throw PeerError(lost + " while the job was to end");
    ForgetFailpoints();  // restarted processes would fail at the same place
    const std::chrono::seconds pause = losses.NextPause();
    // Resume only if rank 0 has begun: before that, an earlier run's checkpoints are not set aside.
    if (all.begun() && !HasResume(command.args)) command.args.push_back("-resume");
    const bool goes_on = HasResume(command.args) && !ListCheckpoints(WorkspacePath(job)).empty();
    progress->Warn(StrCat(lost, "; all ",
                          goes_on ? "go on from the last checkpoint" : "start again", " (restart ",
                          losses.restarts(), " of ", most, ")"));
    if (pause == std::chrono::seconds(0)) continue;
    progress->Say(StrCat("the restart is in ", pause.count(), " s"));
    if (signals.Take() == 0) options.wait(pause, signals);  // Take drops notices of earlier ends
    signals.Take();
    if (signals.asked() != kExitOk)
      throw Error(
          signals.asked(),
          "stopped by a signal before a restart; to continue, type the same command with -resume");
  }
}

}  // namespace singa
