// SIGTERM, SIGINT, SIGHUP (the terminal is gone) and SIGUSR1 (which mpirun passes on) ask a running
// job to commit a checkpoint and end. A second SIGINT ends it at once (stop_requests.h). A signal
// that was ignored when the program started, as under nohup, stays ignored. A separate thread takes
// the signals, as oneDNN's generated code moves the stack pointer into heap memory, where a
// handler's frame would overwrite data.
#pragma once

#include <csignal>
#include <vector>

#include "singa/base/error.h"

namespace singa {

constexpr int kAskingSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1};
// Returns the signals that ask to stop and that this process does not ignore.
std::vector<int> SignalsToTake();
// Returns the exit code of a job that `signal` asked to stop.
ExitCode CodeOfSignal(int signal);

// Makes these signals end the process at once, until HandleInterrupts, and remove files that are
// not complete. This includes a process of id 1, as in a container, for which unhandled signals do
// nothing.
void EndOnInterrupts();

// Starts to take these signals, for the whole process. REQUIRES: no thread that computes was
// started.
void HandleInterrupts();
// Ignores SIGINT from now on. Terminals and launchers also send it to another process, which
// decides. REQUIRES: HandleInterrupts was called.
void LeaveSigintToOthers();
// Returns the exit code for the signal received; kExitOk: none came.
ExitCode InterruptCode();

// While it exists, a job that is asked to stop commits a checkpoint. The first SIGINT then prints a
// line that says so.
class CheckpointFollows {
 public:
  CheckpointFollows();
  ~CheckpointFollows();
  CheckpointFollows(const CheckpointFollows&) = delete;
  CheckpointFollows& operator=(const CheckpointFollows&) = delete;
};

// Acts as if SIGTERM had come, unless a signal has come already.
void Interrupt();

}  // namespace singa
