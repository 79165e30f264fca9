#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <utility>

#include "base/text/counted.h"
#include "base/thread/omp_threads.h"
#include "base/thread/thread.h"
#include "cluster/liveness/watchdog.h"
#include "cluster/process/job_process.h"
#include "driver/facts/compare_facts.h"
#include "driver/job/end_process.h"
#include "driver/job/graph_file.h"
#include "driver/job/job_rows.h"
#include "driver/job/run_job.h"
#include "driver/job/screen_rows.h"
#include "driver/job/trained_files.h"
#include "driver/workspace/workspace.h"
#include "io/checkpoint/checkpoint.h"
#include "io/checkpoint/trained_classes.h"
#include "io/metrics/metrics_sinks.h"
#include "tensor/gpu/gpus.h"
#include "train/device/device_exchange.h"
#include "train/device/worker_device.h"
#include "train/state/init_params.h"
#include "train/trainer/evaluator.h"
#include "train/trainer/plan_net.h"

namespace singa {
namespace {

struct Loaded {
  int64_t step = 0;  // step of the values
  std::vector<std::string> files;
};

// Warns if checkpoint_path, such as the start of a fine-tuning, keeps the test from the values that
// the job has trained. `files`: those that are tested.
void WarnOfUntested(const JobProto& job, const std::vector<std::string>& files,
                    Progress* progress) {
  namespace fs = std::filesystem;
  const std::string workspace = WorkspacePath(job);
  const std::vector<CheckpointEntry> checkpoints = ListCheckpoints(workspace);
  const auto tested = [&files](const CheckpointEntry& checkpoint) {
    return std::any_of(files.begin(), files.end(), [&checkpoint](const fs::path& file) {
      std::error_code error;  // a path without a folder is not equivalent
      return fs::equivalent(file, checkpoint.dir, error) ||
             fs::equivalent(file.parent_path(), checkpoint.dir, error);
    });
  };
  if (checkpoints.empty() || std::any_of(checkpoints.begin(), checkpoints.end(), tested)) return;
  progress->Warn(StrCat("the checkpoints in ", workspace,
                        " are not tested, as checkpoint_path names other files; -set "
                        "checkpoint_path=",
                        workspace, " tests the newest one"));
}

// Returns the context of the test's thread. `state` and `mark` must outlive it.
Context TestContext(const JobProto& job, const RunOptions& options, StepState* state,
                    ActivityMark* mark) {
  Context ctx;
  ctx.threads = WorkerThreads(job, options.threads);
  ctx.plain = job.plain_kernels();
  ctx.seed = job.seed();
  ctx.state = state;
  ctx.mark = mark;
  return ctx;
}

// Loads the params' values.
Loaded LoadForTest(const JobProto& job, Context& ctx, ParamTable* params, Progress* progress) {
  std::vector<std::string> files;
  const auto find = [&] {
    return FilesToTest(job, [&](const std::string& text) { progress->Warn(text); });
  };
  const InitReport report = UseTrained(find, [&](const std::vector<std::string>& found) {
    files = found;
    return InitParams(ctx, found, params);
  });
  for (const std::string& file : files) progress->Say("params from " + file);
  WarnOfUntested(job, files, progress);
  if (!report.initialised.empty())
    progress->Warn(StrCat(Counted(report.initialised.size(), "param is", "params are"),
                          " in no file and got initial values: ", JoinNames(report.initialised)));
  // A checkpoint of the job itself may have params of layers that only the training has.
  if (job.checkpoint_path_size() > 0 && !report.unused.empty())
    progress->Say("params of the files that the net lacks: " + JoinNames(report.unused));
  return {report.version, files};
}

// Compares the stores of the test with those of the training.
void CompareWithTraining(const JobProto& job, const std::vector<std::string>& files, Net* net,
                         Progress* progress) {
  std::vector<InputFacts> inputs = InputsOf(net);
  for (InputFacts& train : PeekTraining(job.neuralnet())) inputs.push_back(std::move(train));
  SetTrainedClasses(TrainedClasses(files), &inputs);
  TellFacts(inputs, [&](const std::string& text) { progress->Warn(text); });
}

// Makes the watchdog that ends a test that stalls.
std::unique_ptr<Watchdog> WatchStalls(const JobProto& job, const RunOptions& options,
                                      const ActivityMark& mark) {
  if (job.cluster().stall_timeout() == 0) return nullptr;
  StallDetector finder(job.cluster().stall_timeout() * kSecond);
  finder.Add("the test", &mark);
  const auto stalled = [options](const std::string& text) { EndStalled(options, text); };
  return std::make_unique<Watchdog>(std::move(finder), Watchdog::Calls{[](uint64_t) {}, stalled});
}

// Waits for the device in its destructor, before memory that the device may still use is freed.
struct Drained {
  WorkerDevice* device;  // may be null
  ~Drained() {
    if (device) device->Drain();
  }
};

// Writes the metrics to the workspace and the screen, and says what else the test did. Throws
// WriteError if a file of an output layer could not be written.
void WriteResults(const Workspace& workspace, int64_t step, const MetricSums& sums,
                  Evaluator* evaluator, ActivityMark* mark, Progress* progress) {
  const int64_t bad = CountBadRecords(evaluator->readers());
  const MetricsRows rows = LayerRows({"test", step, 0, bad}, sums, nullptr);
  MetricsSinks kept({workspace.files(), workspace.path()});
  kept.Write(rows);
  kept.Sync();
  if (evaluator->refused()) throw *evaluator->refused();
  if (!sums.entries().empty()) ScreenRows(progress, step, mark).Write(rows);
  for (const auto& [written, records] : evaluator->written())
    progress->Say(StrCat("wrote ", Counted(records, "record"), " to ", written));
  if (bad > 0) progress->Say(StrCat(Counted(bad, "bad record"), " skipped"));
}

// Throws DivergedError if a score or metric is not finite.
void RequireFinite(const ScoreWatch& scores, const MetricSums& sums) {
  if (const std::string text = scores.Text(); !text.empty()) throw DivergedError(text);
  for (const MetricSums::Entry& entry : sums.entries())
    if (!std::isfinite(entry.sum))
      throw DivergedError(
          StrCat("the ", entry.name, " of layer \"", entry.layer, "\" is not finite"));
}

}  // namespace

ExitCode TestJob(const JobProto& job, const RunOptions& options, Progress* progress) {
  StepState state;
  ActivityMark mark;
  Context ctx = TestContext(job, options, &state, &mark);
  std::unique_ptr<WorkerDevice> device;
  if (job.gpu_size() > 0) device = std::make_unique<WorkerDevice>(job, OpenGpu(job.gpu(0)), &ctx);
  SetOmpThreads(ctx.threads);
  CheckThreads(ctx.threads - 1);
  const std::unique_ptr<Algorithm> algorithm = TestAlgorithm(job);
  ParamTable params;
  ScoreWatch scores;
  Evaluator evaluator(job, kTest, &params, algorithm.get(), &ctx);
  evaluator.WatchScores(&scores);
  Workspace workspace(WorkspacePath(job), WorkspaceOptionsOf(job, options, progress));
  AllocateParams(device ? evaluator.memory().host_arena : evaluator.memory().arena, params);
  const auto [step, files] = LoadForTest(job, ctx, &params, progress);
  DeviceExchange on_device(nullptr, &ctx);
  const Drained drained{device.get()};
  if (device) {
    device->Begin(state);
    PlaceParams({&evaluator.net()}, &on_device);
    on_device.Upload();
  }
  evaluator.Open(NetArena::Allocate(ctx, evaluator.memory()));
  CompareWithTraining(job, files, &evaluator.net(), progress);
  WriteGraphFiles(workspace.files(), evaluator.net(), workspace.graph("test"), job.name());
  mark.SetStep(step);
  const auto watch = WatchStalls(job, options, mark);
  const MetricSums sums = *evaluator.Run(job.test_steps(), [&] {
    if (options.process) options.process->control().Check();
    return false;
  });
  WriteResults(workspace, step, sums, &evaluator, &mark, progress);
  RequireFinite(scores, sums);
  return kExitOk;
}

}  // namespace singa
