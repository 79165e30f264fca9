// Driver: for a program of one's own around SINGA. Register layers, updaters, schedules,
// initializers or algorithms by their SINGA_REGISTER_ macros, then:
//
//   int main(int argc, char** argv) { return singa::Driver().Main(argc, argv); }
//
// is the whole `singa` command with them in it; or build a JobProto in code and Train it.
//
// Calls may run in several threads, but for one thing: a job's plugins are loaded when a call
// begins, which registers what is in them, and no other thread may be in a call of singa then. A
// plugin that is loaded already is left alone.
#pragma once

#include "singa/base/api.h"
#include "singa/base/error.h"
#include "singa/proto/job.pb.h"

namespace singa {

class SINGA_API Driver {
 public:
  // The `singa` command line. Returns the exit code; throws nothing.
  int Main(int argc, char** argv);

  // Checks and trains `job` in this process; with `resume`, from the newest intact checkpoint of
  // its workspace. Handles no signals: Main does. A handler of the program's own must not run on a
  // computing thread's stack (sigaltstack or a blocked signal and sigwait). Returns kExitOk. Ends
  // the program with kExitStalled where a worker stands still for cluster.stall_timeout.
  // Throws Error; ConfigError for mistakes in `job`, with the field's path.
  ExitCode Train(const JobProto& job, bool resume = false);
  // One test phase on the params of checkpoint_path or of the workspace's newest checkpoint.
  ExitCode Test(const JobProto& job);
};

}  // namespace singa
