// TrainJob and TestJob run a whole job, or rank 0 of several processes, with its workspace,
// checkpoints and rows of metrics.
#pragma once

#include <exception>
#include <functional>
#include <string>

#include "driver/workspace/progress.h"
#include "driver/workspace/workspace.h"
#include "singa/base/error.h"
#include "singa/proto/job.pb.h"

namespace singa {

class FileSystem;
class JobProcess;

struct AutoPartition;
class StepRecorder;

struct RunOptions {
  bool resume = false;  // resume from the workspace's newest intact checkpoint, if there is one
  int threads = 0;      // threads of the worker; 0: num_openblas_threads, else the available cores
  FileSystem* files = nullptr;    // file system of the workspace; null: the system's
  JobProcess* process = nullptr;  // this process, if the job has several; else null
  // How layers are divided, if partition: kAuto has chosen it; else null.
  const AutoPartition* partition = nullptr;
  // Leads a job of several processes in place of TrainJob; may be empty.
  std::function<ExitCode(const JobProto&, const RunOptions&, Progress*)> lead = {};
  // Records steps in processes other than rank 0, for rank 0. Null: no steps are recorded.
  StepRecorder* recorder = nullptr;
  // Rank 0 calls it to meet the others, after it has set an earlier run aside.
  std::function<void()> meet;
  // Rank 0 calls it after each commit of a checkpoint.
  std::function<void()> committed = [] {};
  // Returns the end of an error's text that tells how to continue; "": nothing is known.
  std::function<std::string(const Error&)> advice = [](const Error&) { return ""; };
  // Removes files that others would find. Called before the process ends without returning.
  std::function<void()> leave = [] {};
  // Called with the error that ends a job of one process, while workers may still be in a step. Any
  // thread may call it.
  std::function<void(const std::exception_ptr&)> failed;
  // With several processes: tells the others of an error that ends the job, and returns whether one
  // of them shows it. Any thread may call it.
  std::function<bool(const Error&)> is_shown_elsewhere;
};

// Returns the options for the workspace of a job that runs with `options`. `progress` tells the
// user which process holds the workspace while this one waits.
WorkspaceOptions WorkspaceOptionsOf(const JobProto& job, const RunOptions& options,
                                    Progress* progress);

// Trains to the last step, or until a signal asks to stop, and tells the job's other processes.
// Returns the exit code: kExitOk, kExitInterrupted or kExitTerminated. Throws Error; a
// ConfigError's path is relative to the JobProto.
ExitCode TrainJob(const JobProto& job, const RunOptions& options, Progress* progress);

// Runs the test phase once on the params of checkpoint_path, or of the workspace's newest
// checkpoint.
ExitCode TestJob(const JobProto& job, const RunOptions& options, Progress* progress);

// Returns the threads of the only worker of this process.
int WorkerThreads(const JobProto& job, int asked);
// Returns the threads of each worker of a job: the given number, or a share of the cores.
int ThreadsOfWorker(const JobProto& job, int asked);
// Returns the cores of this host that the whole job may use: those on which this process may run,
// or all if a launcher has bound each process to its own cores.
int CoresOfJob();

}  // namespace singa
