#include "driver/launch/supervisor.h"

#include <poll.h>

#include <algorithm>
#include <map>

#include "base/failpoint.h"
#include "cluster/job_process.h"
#include "driver/launch/job_processes.h"
#include "driver/launch/launch_place.h"
#include "driver/launch/restart_budget.h"

namespace singa {
namespace {

bool HasResume(const std::vector<std::string>& args) {
  return std::any_of(args.begin(), args.end(),
                     [](const std::string& arg) { return arg == "-resume" || arg == "--resume"; });
}

std::string Times(int count) { return StrCat(count, count == 1 ? " time" : " times"); }

bool IsStall(const ChildEnd& end) { return end.signal == 0 && end.code == kExitStalled; }

// Who has heard nothing from another process says so, and ends; who stands still has told all
// others, which end the same way.
std::string LossOf(const JobEnd& end) {
  if (IsStall(end.end)) return "the job stalled";
  const bool lost_another = end.end.signal == 0 && end.end.code == kExitPeerLost;
  return StrCat("process ", end.rank, lost_another ? " lost another" : " was lost");
}

[[noreturn]] void GiveUp(const std::map<std::string, int>& losses, int restarts,
                         const JobEnd& last) {
  std::string who;
  for (const auto& [loss, count] : losses)
    who += StrCat(who.empty() ? "" : ", ", loss, " ", Times(count));
  throw Error(IsStall(last.end) ? kExitStalled : kExitPeerLost,
              StrCat(who, " (", ToString(last.end), " in the end), with ", restarts,
                     restarts == 1 ? " restart" : " restarts",
                     " (cluster.max_restarts); the same command with -resume goes on"));
}

}  // namespace

void AwaitPause(std::chrono::milliseconds pause, const StopSignals& signals) {
  pollfd watched = {signals.descriptor(), POLLIN, 0};
  ::poll(&watched, 1, static_cast<int>(pause.count()));
}

ExitCode Supervise(const JobProto& job, int processes, const std::vector<std::string>& args,
                   Progress* progress, const SuperviseOptions& options) {
  JobCommand command{.program = options.program,
                     .args = args,
                     .processes = processes,
                     .coordinator = CoordinatorOf(job),
                     .starts_at_once = MayGroupGpus(job, true),
                     .start_timeout = std::chrono::seconds(job.cluster().start_timeout()),
                     .end_timeout = options.end_timeout};
  StopSignals signals;
  std::map<std::string, int> losses;
  const int most = job.cluster().max_restarts();
  RestartBudget restarts(most);
  int replaced = 0;
  command.committed = [&] {
    restarts.Forgive();
    replaced = 0;
    losses.clear();
  };
  command.is_replaceable = [&job](int rank) { return IsReplaceable(job, rank); };
  command.replaces = [&](const std::vector<JobEnd>& lost) {
    if (replaced + std::ssize(lost) > most) return false;
    ForgetFailpoints();
    for (const JobEnd& one : lost) {
      ++losses[LossOf(one)];
      progress->Warn(StrCat(LossOf(one), " (", ToString(one.end), "); another takes its place (",
                            ++replaced, " of ", most, ")"));
    }
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
    const std::string lost = StrCat(LossOf(end), " (", ToString(end.end), ")");
    if (signals.asked() != kExitOk) throw PeerError(lost + " while the job was to end");
    ++losses[LossOf(end)];
    ForgetFailpoints();  // those who go on would come to the same place
    const auto pause = restarts.Next();
    if (!pause) GiveUp(losses, restarts.used(), end);
    // An earlier run's checkpoints are set aside by the time that rank 0 has begun, not before.
    if (all.begun() && !HasResume(command.args)) command.args.push_back("-resume");
    progress->Warn(StrCat(
        lost, "; all ", HasResume(command.args) ? "go on from the last checkpoint" : "start again",
        " (restart ", restarts.used(), " of ", most, ")"));
    if (*pause == std::chrono::seconds(0)) continue;
    progress->Say(StrCat("the restart is in ", pause->count(), " s"));
    if (signals.Take() == 0) options.wait(*pause, signals);  // Take forgets who ended before
    signals.Take();
    if (signals.asked() != kExitOk)
      throw Error(signals.asked(),
                  "stopped by a signal before a restart; the same command with -resume goes on");
  }
}

}  // namespace singa
