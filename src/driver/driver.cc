#include "singa/driver/driver.h"

#include <glog/logging.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>

#include "base/file/file_limit.h"
#include "base/file/unfinished_file.h"
#include "base/system/caught_error.h"
#include "base/system/failpoint.h"
#include "base/system/library_end.h"
#include "driver/arguments/arguments.h"
#include "driver/command/command_line.h"
#include "driver/command/help.h"
#include "driver/command/help_topic.h"
#include "driver/command/subcommand.h"
#include "driver/conf/check_gpus.h"
#include "driver/conf/check_job.h"
#include "driver/conf/repeat_blocks.h"
#include "driver/job/run_job.h"
#include "driver/launch/launcher_end.h"
#include "driver/launch/launcher_rank.h"
#include "driver/log/logging.h"
#include "driver/log/standard_streams.h"
#include "driver/plugin/load_plugins.h"
#include "driver/signals/interrupt.h"

namespace singa {
namespace {

int RunCommand(const CommandLine& line) {
  if (line.no_arguments) {
    std::fputs(Usage().c_str(), stderr);
    return kExitUsage;
  }
  if (line.help) {
    if (!line.topic.empty()) LoadPluginsForHelp(line.plugins, line.conf);
    std::fputs((line.topic.empty() ? Help(line.subcommand) : HelpOn(line.topic)).c_str(), stdout);
    return kExitOk;
  }
  EndWithLauncher();
  const Subcommand& command = *FindSubcommand(line.subcommand.empty() ? "train" : line.subcommand);
  return command.alone && LeaveToRank0(line.subcommand) ? kExitOk : command.run(line);
}

void CheckStdout() {
  errno = 0;
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return;
  throw FileError(kExitIo, "stdout", errno ? std::strerror(errno) : "cannot be written to");
}

// Checks a job that has no file. Throws its first error.
JobProto CheckedProto(JobProto job, JobUse use) {
  LoadPluginsOf(job);
  ExpandBlocksOf(&job);
  for (const ConfFindings& found : {CheckValues(job, use), CheckGpus(&job)}) {
    for (const ConfigError& warning : found.warnings) LOG(WARNING) << warning.what();
    if (!found.errors.empty()) throw found.errors.front();
  }
  return job;
}

}  // namespace

int Driver::Main(int argc, char** argv) {
  HoldStandardStreams();
  ExplainLibraryEnds(RemoveUnfinishedFiles);
  // If the reader of stderr goes away, the job goes on. If the reader of stdout does, that is an
  // error.
  std::signal(SIGPIPE, SIG_IGN);
  EndOnInterrupts();
  RaiseFileLimit();
  std::signal(SIGXFSZ, SIG_IGN);  // writing beyond the limit then fails with EFBIG
  try {
    StartLogging(argv[0]);
    ReadFailpoints();
    const std::vector<std::string> args(argv + 1, argv + argc);
    const CommandLine line = ParseCommandLine(args);
    const int code = RunCommand(line);
    CheckStdout();
    return code;
  } catch (const UsageError& error) {
    std::fprintf(stderr, "singa: error: %s\nsee singa%s%s -help\n", error.what(),
                 error.subcommand().empty() ? "" : " ", error.subcommand().c_str());
    return error.code();
  } catch (...) {
    const Error error = CaughtError();
    std::fprintf(stderr, "singa: %s: %s\n", error.code() == kExitBug ? "internal error" : "error",
                 error.what());
    return error.code();
  }
}

ExitCode Driver::Train(const JobProto& job, bool resume) {
  StartLogging("singa");
  Progress progress;
  RunOptions options;
  options.resume = resume;
  return TrainJob(CheckedProto(job, JobUse::kTrain), options, &progress);
}

ExitCode Driver::Test(const JobProto& job) {
  StartLogging("singa");
  Progress progress;
  return TestJob(CheckedProto(job, JobUse::kTest), {}, &progress);
}

}  // namespace singa
