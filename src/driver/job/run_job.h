// A whole job, or rank 0 of several processes: train or test, with its workspace, checkpoints and
// rows of metrics.
#pragma once

#include <exception>
#include <functional>
#include <string>

#include "driver/job/progress.h"
#include "singa/base/error.h"
#include "singa/proto/job.pb.h"

namespace singa {

class FileSystem;
class JobProcess;

struct RunOptions {
  bool resume = false;  // from the newest intact checkpoint of the workspace, if there is one
  int threads = 0;      // of the worker; 0: by num_openblas_threads, else the cores to be had
  FileSystem* files = nullptr;    // that the workspace is on; null: the system's
  JobProcess* process = nullptr;  // this one, of several that the job has
  // Of rank 0: finds the others, once what an earlier run left is out of the way.
  std::function<void()> meet;
  // Rank 0 calls it after each commit of a checkpoint.
  std::function<void()> committed = [] {};
  // For the end of an error that ends the process: how to go on; "": nothing is known.
  std::function<std::string(const Error&)> advice = [](const Error&) { return ""; };
  // Takes away what others would find, before the process ends without coming back.
  std::function<void()> leave = [] {};
  // Told of what ends a job of one process, while workers may still be in a step. Any thread calls.
  std::function<void(const std::exception_ptr&)> failed;
  // Where there are several: tells the others of an error that ends the job; true: one of them
  // shows it. Any thread may call.
  std::function<bool(const Error&)> is_shown_elsewhere;
};

// Trains to the last step, or until a signal asks to stop; the job's other processes are told.
// Returns what the process exits with: kExitOk, kExitInterrupted or kExitTerminated. Throws Error;
// a ConfigError's path is relative to the JobProto.
ExitCode TrainJob(const JobProto& job, const RunOptions& options, Progress* progress);

// Runs the test phase once on the params of checkpoint_path, or of the workspace's newest
// checkpoint.
ExitCode TestJob(const JobProto& job, const RunOptions& options, Progress* progress);

// Threads of the one worker of this process.
int WorkerThreads(const JobProto& job, int asked);
// Threads of each worker of a job: what they are given, or their share of the cores.
int ThreadsOfWorker(const JobProto& job, int asked);
// Cores of this host that a job may use, whichever process of it is asked: those that the process
// may run on, or all where a launcher has given each process cores of its own.
int CoresOfJob();

}  // namespace singa
