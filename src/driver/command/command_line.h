// argv of `singa`. Read by our own loop: gflags keeps the last of a repeated flag and exits 1.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace singa {

struct CommandLine {
  std::string subcommand;     // of Subcommands(); "" and "train": train, or test with -test
  bool help = false;          // --help or -h was given: show Help(subcommand), do nothing else
  bool no_arguments = false;  // show Usage() on stderr, exit with kExitUsage
  std::string conf;
  bool resume = false;
  bool test = false;
  bool verbose = false;           // -v
  bool svg = false;               // of graph
  bool json = false;              // of bench and doctor
  int64_t steps = 0;              // of bench; 0: not given
  bool synthetic = false;         // of bench
  std::vector<std::string> sets;  // "path=value", in order
  std::string singa_conf;
  int singa_job = -1;
  std::string host = "localhost";
  // Of ckpt, data, export and predict: all that follows, unread.
  std::vector<std::string> args;
  std::vector<std::string> all;  // as they were given
};

// `args` without the program's name. One or two dashes, -name value or -name=value. glog's flags
// (-v=1, -logtostderr, ...) are set in gflags' registry. Throws Error(kExitUsage).
CommandLine ParseCommandLine(const std::vector<std::string>& args);

}  // namespace singa
