// SIGTERM, SIGINT, SIGHUP (the terminal is gone) and SIGUSR1 (what mpirun passes on) ask a running
// job to commit a checkpoint and end; a second SIGINT ends it at once (stop_requests.h). A signal
// that was ignored when the program started, as under nohup, stays ignored. A thread of their own
// takes the signals: oneDNN's generated code moves the stack pointer into heap memory, where a
// handler's frame would overwrite data.
#pragma once

#include <csignal>
#include <vector>

#include "singa/base/error.h"

namespace singa {

constexpr int kAskingSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1};
// The asking signals that this process does not ignore.
std::vector<int> SignalsToTake();
// The exit code of a job that `signal` asked to stop.
ExitCode CodeOfSignal(int signal);

// Until HandleInterrupts a signal ends the process at once: also one of id 1, as in a container,
// whose signals do nothing unless they are handled.
void EndOnInterrupts();

// Takes these signals from now on, for the whole process. REQUIRES: no thread that
// computes was started.
void HandleInterrupts();
// From now on SIGINT does nothing: another process decides, which terminals and launchers send it
// to as well. REQUIRES: HandleInterrupts was called.
void LeaveSigintToOthers();
// The exit code that the signal received asks for; kExitOk: none came.
ExitCode InterruptCode();

// While it lives, a job that is asked to stop commits a checkpoint: the first SIGINT is answered
// so.
class CheckpointFollows {
 public:
  CheckpointFollows();
  ~CheckpointFollows();
  CheckpointFollows(const CheckpointFollows&) = delete;
  CheckpointFollows& operator=(const CheckpointFollows&) = delete;
};

// As if SIGTERM had come, where no signal has.
void Interrupt();

}  // namespace singa
