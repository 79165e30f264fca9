#include "driver/job/process_job.h"

#include <glog/logging.h>

#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "base/system/caught_error.h"
#include "base/system/failpoint.h"
#include "cluster/process/job_process.h"
#include "driver/conf/check_values.h"
#include "driver/job/core_share.h"
#include "driver/job/end_process.h"
#include "driver/job/follow_job.h"
#include "driver/launch/launch_place.h"
#include "driver/launch/launch_variables.h"
#include "driver/launch/launcher_rank.h"
#include "driver/launch/supervisor.h"
#include "driver/signals/end_watch.h"
#include "driver/signals/interrupt.h"
#include "driver/signals/termination_watch.h"

namespace singa {
namespace {

// Tells the other processes of the error, and returns whether another process shows it. Rank 0
// shows the error that ends the job, if it can be told. A process that has lost a peer may be cut
// off from rank 0; then a supervisor reports the loss, but a launcher does not.
bool IsShownElsewhere(const Error& error, bool supervised, JobProcess* process) {
  const bool told = process->StopOthers(error) && (supervised || error.code() != kExitPeerLost);
  LOG(INFO) << error.what();
  return told && process->part().rank() > 0;
}

// Tests in this process. The others only wait for its end.
ExitCode TestForAll(const RunOptions& options, JobProcess* process, Progress* progress) {
  options.meet();
  const EndsOnSignal signals(options, "the test had ended");
  SINGA_FAILPOINT("leader_tests");
  const ExitCode code = TestJob(process->part().job(), options, progress);
  process->End();
  return code;
}

ExitCode Lead(JobUse use, const RunOptions& options, JobProcess* process, Progress* progress) {
  if (use == JobUse::kTest) return TestForAll(options, process, progress);
  const auto train = options.lead ? options.lead : TrainJob;
  const ExitCode code = train(process->part().job(), options, progress);
  SINGA_FAILPOINT("leader_ended");
  return code;
}

// Waits for the other processes. Returns false if rank 0 has started anew.
bool Meet(const LaunchPlace& place, JobProcess* process) {
  const auto asked = [] { return InterruptCode() != kExitOk; };
  if (process->stub().Meet([&] { return asked() || place.Outdated(); })) return true;
  if (asked())
    throw Error(InterruptCode(), "stopped by a signal before all processes had connected");
  return false;
}

ExitCode Follow(const RunOptions& options, JobProcess* process) {
  LeaveSigintToOthers();
  const TerminationWatch watch([process] { process->follower()->AskToEnd(); });
  return FollowJob(options, process);
}

// Makes the process. An error of the system about an address names the field with the address.
std::unique_ptr<JobProcess> MakeProcess(const JobProto& job, const LaunchPlace& place,
                                        JobCalls calls) {
  const bool own = place.rank > 0 && job.cluster().has_bind();
  try {
    return std::make_unique<JobProcess>(
        job,
        ProcessPlace{place.rank, place.secrets, place.coordinator, place.one_host,
                     place.before_here, place.reach, CoresOfJob(), place.why_mpi,
                     place.why_not_mpi},
        std::move(calls));
  } catch (const ConfigError&) {
    throw;
  } catch (const Error& error) {
    const char* const field = own ? "cluster.bind" : "cluster.coordinator";
    if (!own && !job.cluster().has_coordinator()) throw;
    throw ConfigError(field, error.what(), error.code());
  }
}

// Returns `options` for this process of the job. Both others must outlive the result.
RunOptions OptionsIn(RunOptions options, LaunchPlace* place, JobProcess* process) {
  options.process = process;
  options.meet = [place, process] {
    place->Begun();
    Meet(*place, process);
    place->Done();
  };
  options.leave = [place] {
    if (place->files) place->files->Remove();
  };
  options.committed = [place] { place->Committed(); };
  options.is_shown_elsewhere = [place, process](const Error& error) {
    return IsShownElsewhere(error, place->supervised, process);
  };
  return options;
}

// Runs rank 0's part of the job, or another rank's. Returns nullopt if another rank 0 has replaced
// the one in `place`.
std::optional<ExitCode> RunRank(JobUse use, LaunchPlace* place, const RunOptions& options,
                                JobProcess* process, Progress* progress) {
  if (place->rank > 0) {
    SINGA_FAILPOINT("follower_comes");
    if (!Meet(*place, process)) return {};
    return Follow(options, process);
  }
  process->stub().Open();
  place->Report(process->stub().endpoint());
  if (process->part().plan().mode == SyncMode::kAllReduce) Meet(*place, process);
  return Lead(use, options, process, progress);
}

// Makes this process of the job and runs it. Returns nullopt as RunRank does.
std::optional<ExitCode> TakePart(const JobProto& job, JobUse use, LaunchPlace* place,
                                 RunOptions options, Progress* progress) {
  // Destroyed last, as a thread that does not return may block any other destructor.
  EndWatch watch_end(kLongestEnd, [&options, place](const std::exception_ptr& why) {
    EndLate(options, why, place->rank, StrCat("process ", place->rank));
  });
  if (use == JobUse::kTrain) BindToShare(job, *place, ThreadsOfWorker(job, options.threads));
  const std::unique_ptr<JobProcess> process = MakeProcess(
      job, *place, {.asked = Interrupt, .failed = [&watch_end](const std::exception_ptr& why) {
                      watch_end.Begin(why);
                    }});
  options = OptionsIn(std::move(options), place, process.get());
  try {
    return RunRank(use, place, options, process.get(), progress);
  } catch (const ToldError& error) {
    process->Acknowledge();
    if (place->rank == 0) throw;
    LOG(INFO) << error.what();
    return error.code();
  } catch (const Error& error) {
    if (!options.is_shown_elsewhere(error)) throw;
    return error.code();
  } catch (...) {
    process->StopOthers(CaughtError());
    throw;
  }
}

// Runs as the process of the job that a launcher or a supervisor started.
ExitCode RunLaunched(const JobProto& job, JobUse use, const RunOptions& options,
                     Progress* progress) {
  HandleInterrupts();
  std::optional<LaunchPlace> place = FindLaunchPlace(job, PlanSync(job).topology.processes());
  SetFailpointRank(place->rank);
  for (;;) {
    if (const auto code = TakePart(job, use, &*place, options, progress)) return *code;
    place->ReadAgain(job);
  }
}

// Throws ConfigError if the processes would look for each other by MPI, which only a launcher sets
// up.
void CheckNeedsNoLauncher(const JobProto& job) {
  const SyncPlan plan = PlanSync(job);
  if (!plan.by_mpi) return;
  throw ConfigError("cluster.all_reduce.backend",
                    StrCat("kMpi needs mpirun to start the job: mpirun -n ",
                           plan.topology.processes(), " singa -conf FILE"));
}

}  // namespace

ExitCode TrainInProcesses(const JobProto& job, const std::vector<std::string>& args,
                          const RunOptions& options, Progress* progress) {
  const int processes = PlanSync(job).topology.processes();
  if (!IsLaunched()) {
    CheckNeedsNoLauncher(job);
    return Supervise(job, processes, args, progress);
  }
  return RunLaunched(job, JobUse::kTrain, options, progress);
}

ExitCode TestInProcesses(const JobProto& job, const RunOptions& options, Progress* progress) {
  if (!IsLaunched()) return TestJob(job, options, progress);
  return RunLaunched(job, JobUse::kTest, options, progress);
}

int RankHere() {
  if (const char* const place = std::getenv(kProcessVariable)) return std::atoi(place);  // RANK/...
  const std::optional<LauncherRank> place = FindLauncherRank();
  return place ? place->rank : 0;
}

bool AnotherProcessSpeaks() {
  if (std::getenv(kProcessVariable)) return true;  // the supervisor shows it
  const std::optional<LauncherRank> place = FindLauncherRank();
  return place && place->rank > 0;
}

}  // namespace singa
