#include "driver/command/bench_command.h"

#include <glog/logging.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>

#include "base/thread/core_binding.h"
#include "base/thread/thread.h"
#include "cluster/protocol/sync_plan.h"
#include "driver/arguments/arguments.h"
#include "driver/bench/bench_layers.h"
#include "driver/bench/bench_report.h"
#include "driver/bench/bench_workers.h"
#include "driver/bench/follower_trace.h"
#include "driver/bench/write_trace.h"
#include "driver/command/subcommand.h"
#include "driver/conf/check_job.h"
#include "driver/facts/compare_facts.h"
#include "driver/job/process_job.h"
#include "driver/job/run_job.h"
#include "driver/launch/launch_place.h"
#include "driver/launch/launcher_rank.h"
#include "driver/signals/interrupt.h"
#include "driver/timing/bench_job.h"
#include "math/device_peak.h"
#include "math/machine_peak.h"
#include "singa/tensor/stream.h"
#include "train/state/init_params.h"

namespace singa {
namespace {

constexpr int64_t kWarmUp = 5;  // unmeasured steps first: they fill caches and start readers
// Limits without -steps: the number of steps, and the time that they may take.
constexpr int64_t kMostSteps = 50, kLeastSteps = 5;
constexpr std::chrono::seconds kLongest{10};

BenchLimits LimitsOf(const CommandLine& line) {
  const bool asked = line.steps > 0;
  return {.warm_up = kWarmUp,
          .steps = asked ? line.steps : kMostSteps,
          .least = asked ? line.steps : kLeastSteps,
          .seconds = static_cast<double>(kLongest.count())};
}

int64_t PeakRss() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss * int64_t{1024};
}

BenchReport Measure(const JobProto& job, const BenchLimits& limits) {
  const int threads = WorkerThreads(job, 0);
  CheckThreads(threads - 1);
  Trainer trainer(job, threads);
  trainer.memory().Check();
  trainer.Allocate();
  TellFacts(InputsOf(&trainer), [](const std::string& text) { LOG(WARNING) << text; });
  const std::vector<std::string> files(job.checkpoint_path().begin(), job.checkpoint_path().end());
  InitParams(trainer.model().ctx(), files, &trainer.model().params());
  Stream* const stream = trainer.model().ctx().stream;  // null: the CPU computes
  const double before = stream ? 0 : MeasureFmaPeak(threads);
  BenchReport report = BenchLayers(limits, &trainer);
  report.threads = threads;
  report.peak_rss = PeakRss();
  if (stream) {
    report.gpu = stream->gpu().name();
    report.peak = MeasureProductPeak(trainer.model().ctx());
    report.copy_rate = MeasureDeviceCopyBandwidth(trainer.model().ctx());
  } else {
    report.peak = std::max(before, MeasureFmaPeak(threads));  // the CPU's clock varies
    report.copy_rate = MeasureCopyBandwidth(threads);
  }
  return report;
}

void Print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);  // other processes write there, too
}

// Measures the workers of a job, in the processes that `singa -conf` would start. Rank 0 calls
// `report` with the text.
int MeasureWorkers(const JobProto& bench, const CommandLine& line,
                   const std::function<void(const std::string&)>& report) {
  const BenchLimits limits = LimitsOf(line);
  const JobProto job = WorkersJob(bench, limits);
  Progress progress;
  RunOptions run;
  FollowerTrace recorder;
  if (!line.trace.empty()) run.recorder = &recorder;
  run.lead = [&](const JobProto& its, const RunOptions& options, Progress* says) {
    const auto measured = BenchWorkers(its, limits, options, says);
    if (!measured) return InterruptCode();
    report(line.json ? WorkersJson(*measured) : WorkersTable(*measured));
    WriteTrace(measured->trace, measured->others, line.trace, line.flame);
    return kExitOk;
  };
  if (PlanSync(job).topology.processes() > 1)
    return TrainInProcesses(job, line.all, run, &progress);
  return run.lead(job, run, &progress);
}

bool HasSeveralWorkers(const JobProto& job) {
  return job.cluster().nworker_groups() * job.cluster().nworkers_per_group() > 1;
}

// Returns whether processes of a launcher measure the workers together.
bool IsForAllProcesses(const JobProto& job) {
  return HasSeveralWorkers(job) && PlanSync(job).topology.processes() > 1 &&
         WhyNotWorkers(job).empty();
}

// If a launcher has started the processes, the others wait for this one. Workers are then measured
// first.
int MeasureAll(const JobProto& job, const CommandLine& line, bool synthetic) {
  const bool launched = IsLaunched();
  std::string of_workers;
  if (launched && IsForAllProcesses(job)) {
    const auto keep = [&](const std::string& report) { of_workers = report; };
    if (const int code = MeasureWorkers(job, line, keep); code != kExitOk) return code;
  }
  const AllCores cores;  // the workers may have been bound
  BenchReport report = Measure(job, LimitsOf(line));
  report.synthetic = synthetic;
  Print(line.json ? BenchJson(report) : BenchTable(report));
  Print(of_workers);
  if (!of_workers.empty()) return kExitOk;
  const std::string why_not = HasSeveralWorkers(job) ? WhyNotWorkers(job) : "";
  if (HasSeveralWorkers(job) && why_not.empty()) return MeasureWorkers(job, line, Print);
  WriteTrace(report.trace, {}, line.trace, line.flame);
  if (why_not.empty()) return kExitOk;
  std::fprintf(stderr, "singa bench: the workers of `cluster` are not measured: %s\n",
               why_not.c_str());
  return kExitOk;
}

}  // namespace

int BenchCommand(const CommandLine& line) {
  if (!line.trace.empty() && line.trace == line.flame)
    throw UsageError("bench", StrCat("-trace and -flame need two files, both name ", line.flame));
  const bool in_part = AnotherProcessSpeaks();  // rank 0, or this program, measures layers
  CheckOptions options;
  options.quiet = in_part;
  options.use = JobUse::kTrain;
  options.places = true;
  return WithJob(line.conf, line.sets, options, [&](const JobProto& asked) -> int {
    std::string note;
    const JobProto job = BenchJob(asked, line.synthetic, &note);
    if (!IsForAllProcesses(job) && LeaveToRank0(line.subcommand)) return kExitOk;
    if (in_part) return MeasureWorkers(job, line, Print);
    if (!note.empty()) std::fprintf(stderr, "singa bench: %s\n", note.c_str());
    return MeasureAll(job, line, !note.empty());
  });
}

namespace {

constexpr const char* kBenchHelp =
    R"(usage: singa bench [-steps N] [-synthetic] [-json] [-trace OUT.json] [-flame OUT.svg]
                   [-set PATH=VALUE]... FILE

Trains a job for some steps and prints where the time goes. It keeps no other files than OUT.
First one worker trains the whole net. If the job has several workers, they train as `singa -conf`
would start them, and a second part shows how much of their communication is hidden. Under mpirun or
srun, the processes meet by temporary files in the job's workspace.

  -steps N     measured steps, after 5 to warm up; if not given 50, or as many as fit into 10 s
  -synthetic   noise in place of the job's data; the default if a data file is missing
  -json        one JSON object a line: each layer's, then the step's; with several workers, then
               each gradient's, each process's and their step's
  -trace OUT   writes a trace of one step to a JSON file, for ui.perfetto.dev or chrome://tracing:
               the step with the median time of the last 50. Each process of worker group 0 has
               a row with its layers, updates, gradients and waits
  -flame OUT   writes an SVG of the first worker of that step: phases, blocks of layers, layers

Each time is a median by itself, so columns add up only approximately.
  update        of the params that the layer is the last to use
  GFLOP/s       two operations for each multiply-add. Gradients that nobody needs are not computed
                and do not count
  % of peak     share of the speed of multiply-adds in registers, by the same threads; on a GPU,
                share of the speed of a product of large matrices, in the job's precision
  GB/s          counts each tensor that a step must read or write once, regardless of caches
  late updates  updates that wait for the whole backward pass: clip_norm, on_nonfinite: kSkip
  overhead      the rest of a step, without its layers, updates and waiting
With noise the learning rate is almost 0, so that nothing diverges.

The part of several workers has means over the workers of group 0 in process 0:
  ready         time from the start of the step until a gradient is complete. A large gradient is
                handed on in pieces, and is ready with its first one
  sum           time from the start of the step until the sum over the workers, or the new values,
                had come; "-" if another process has added it up in shared memory, or one worker
                alone has the param
  wait          time that the next forward pass waited for the values
  communication time in which at least one gradient is on its way, from ready to sum
  exposed       part of the communication in which a worker computes nothing: it waits, adds up or
                encodes. The rest is hidden
  features      exchange of features where workers divide layers by units
  worker wait   the rest of the time in calls for gradients: waiting for slower workers, and late
                updates
  sent          by all processes below. Their waits and coding are means over their workers
)";

SINGA_REGISTER_SUBCOMMAND(bench, {.place = 40,
                                  .name = "bench",
                                  .operands = "FILE",
                                  .brief = "time the training steps of a job, layer by layer",
                                  .reads = Subcommand::kFile,
                                  .options = {"conf", "set", "plugin", "json", "steps", "synthetic",
                                              "trace", "flame"},
                                  .alone = false,  // all processes measure the workers of a job
                                  .help = kBenchHelp,
                                  .run = BenchCommand});

}  // namespace

}  // namespace singa
