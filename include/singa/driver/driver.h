// Driver embeds SINGA in another program. Register layers, updaters, schedules, initializers or
// algorithms by their SINGA_REGISTER_ macros. Then this program is the whole `singa` command with
// them:
//
//   int main(int argc, char** argv) { return singa::Driver().Main(argc, argv); }
//
// A program may also build a JobProto in code and call Train.
//
// Several threads may call at the same time, except while plugins are loaded. A call first loads
// those plugins of its job that are not loaded yet. Meanwhile no other thread may be in a call of
// singa.
#pragma once

#include "singa/base/api.h"
#include "singa/base/error.h"
#include "singa/proto/job.pb.h"

namespace singa {

class SINGA_API Driver {
 public:
  // Runs the `singa` command line. Returns the exit code; throws nothing.
  int Main(int argc, char** argv);

  // Checks and trains `job` in this process, and returns kExitOk. With `resume` it continues from
  // the newest intact checkpoint of the workspace. Unlike Main, it handles no signals. A signal
  // handler of the program must not run on the stack of a computing thread: use sigaltstack, or
  // block the signal and call sigwait. Ends the program with kExitStalled if a worker makes no
  // progress for cluster.stall_timeout. Throws Error; ConfigError, with the field's path, for
  // mistakes in `job`.
  ExitCode Train(const JobProto& job, bool resume = false);
  // Runs one test phase on the params of checkpoint_path or of the workspace's newest checkpoint.
  ExitCode Test(const JobProto& job);
};

}  // namespace singa
