// `singa -conf F`, or `singa train F`, runs a job.
#include "cluster/protocol/sync_plan.h"
#include "driver/command/subcommand.h"
#include "driver/conf/check_job.h"
#include "driver/job/process_job.h"
#include "driver/job/resume_advice.h"
#include "driver/job/run_job.h"
#include "driver/launch/launch_place.h"
#include "driver/launch/launcher_rank.h"
#include "driver/log/logging.h"
#include "driver/signals/interrupt.h"

namespace singa {
namespace {

constexpr const char* kTrainHelp = R"(usage: singa train FILE [-resume] [-test] [-set PATH=VALUE]...

Trains the job that FILE describes: the same as `singa -conf FILE`, with the same options, which
`singa --help` lists.
)";

int Run(const JobProto& job, const CommandLine& line, const RunOptions& run) {
  Progress progress(job.cluster().nworker_groups());
  if (line.test) return TestInProcesses(job, run, &progress);
  if (PlanSync(job).topology.processes() > 1)
    return TrainInProcesses(job, line.all, run, &progress);
  CheckStartedOnce();
  HandleInterrupts();
  return TrainJob(job, run, &progress);
}

// Runs the job of a file. A mistake that is found while it runs is shown at its place in the file.
int TrainCommand(const CommandLine& line) {
  // A run that does not resume has no use for checkpoints that were there before it.
  using FileTime = std::filesystem::file_time_type;
  const FileTime since = line.resume ? FileTime::min() : FileTime::clock::now();
  CheckOptions options;
  options.quiet = AnotherProcessSpeaks();
  options.use = line.test ? JobUse::kTest : JobUse::kTrain;
  options.files = options.places = true;
  options.resumes = line.resume || RankHere() > 0;  // rank 0 reads checkpoint_path for all
  return WithJob(line.conf, line.sets, options, [&](JobProto job) -> int {
    if (line.singa_job >= 0) job.set_id(line.singa_job);
    LogTo(LogFolder(job, line.singa_conf), RankHere());
    RunOptions run;
    run.resume = line.resume;
    if (!line.test && !options.quiet)  // else another process shows errors, or restarts the job
      run.advice = [job, since](const Error& error) { return ResumeAdvice(job, error, since); };
    try {
      return Run(job, line, run);
    } catch (const ConfigError&) {
      throw;
    } catch (const Error& error) {
      const std::string advice = run.advice(error);
      if (advice.empty()) throw;
      throw Error(error.code(), error.what() + advice);
    }
  });
}

SINGA_REGISTER_SUBCOMMAND(train, {.place = 10,
                                  .name = "train",
                                  .operands = "FILE",
                                  .brief = "the same as singa -conf FILE",
                                  .reads = Subcommand::kFile,
                                  .options = {"conf", "set", "plugin", "resume", "test",
                                              "singa_conf", "singa_job", "host"},
                                  .alone = false,
                                  .help = kTrainHelp,
                                  .run = TrainCommand});

}  // namespace
}  // namespace singa
