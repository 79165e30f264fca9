// CommandLine is the parsed argv of `singa`. It is not parsed by gflags, which keeps only the last
// of a repeated flag and exits with 1.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace singa {

struct CommandLine {
  std::string subcommand;     // one of Subcommands(); "" and "train": train, or test with -test
  bool help = false;          // --help or -h was given: show Help(subcommand), do nothing else
  std::string topic;          // `help X`, where X is no subcommand: a layer, a field, ...
  bool no_arguments = false;  // show Usage() on stderr, exit with kExitUsage
  std::string conf;
  bool resume = false;
  bool test = false;
  bool verbose = false;              // -v
  bool svg = false;                  // graph
  bool expand = false;               // check
  bool json = false;                 // bench and doctor
  int64_t steps = 0;                 // bench; 0: not given
  bool synthetic = false;            // bench
  std::string trace, flame;          // bench: files to write; "": none
  std::vector<std::string> sets;     // "path=value", in order
  std::vector<std::string> plugins;  // of -plugin, which are in `sets`, too
  std::string singa_conf;
  int singa_job = -1;
  std::string host = "localhost";
  // ckpt, data, export and predict: all following arguments, not parsed.
  std::vector<std::string> args;
  std::vector<std::string> all;  // all arguments as given
};

// Parses `args`, which are without the program's name. Options have one or two dashes, as -name
// value or -name=value. Sets glog's flags (-v=1, -logtostderr, ...) in gflags' registry. Throws
// Error(kExitUsage).
CommandLine ParseCommandLine(const std::vector<std::string>& args);

}  // namespace singa
