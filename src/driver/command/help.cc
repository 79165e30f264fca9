#include "driver/command/help.h"

#include <cstdio>
#include <string_view>

#include "driver/command/subcommand.h"
#include "singa/base/error.h"

namespace singa {
namespace {

constexpr const char* kUsage = R"(usage: singa -conf FILE [-resume] [-test] [-set PATH=VALUE]...
       singa SUBCOMMAND ...      %s
       singa --help              all options; singa SUBCOMMAND --help
)";

constexpr const char* kMain = R"(
Trains the neural net that a job.conf describes.

  -conf FILE         the job: a JobProto in text format
  -resume            continue from the newest intact checkpoint of the workspace
  -test              run the test phase only, on the parameters of checkpoint_path or else of the
                     workspace's newest checkpoint
  -set PATH=VALUE    override a field, such as train_steps=100 or
                     neuralnet.layer[conv1].convolution_conf.kernel=5;
                     a repeated field takes a,b,c, and gpu+=1 appends; any number of times;
                     a comma within one of the values is \,
  -plugin FILE       a shared library with layers, updaters, ... that the job uses, like the job's
                     field plugin; any number of times; all subcommands with -set have it
  -singa_conf FILE   settings of the installation: a SingaProto in text format
  -singa_job N       number of the job
  -host HOST         address by which other processes reach this one; default localhost
  -v                 print more; -v=1 and other flags of glog (-logtostderr, ...) work
                     too; ckpt, data, export and predict take them before their name
)";

constexpr const char* kClosing = R"(
Results go to stdout, everything else to stderr. Exit codes:
    0  done                             74  reading or writing failed, disk full
    1  a bug in singa                   77  permission or authentication
    2  wrong usage                      78  invalid configuration
   65  damaged data or checkpoint       79  diverged: a loss, gradient or score is not finite
   66  an input file is missing        130, 143  stopped by a signal; -resume continues
   69  a device is not there           170  a peer was lost; -resume continues
   73  a file cannot be created        171  no progress
  128 and above: the same command may succeed if it is run again.
)";

int HelpCommand(const CommandLine& line) {
  std::fputs(Help(line.subcommand).c_str(), stdout);
  return kExitOk;
}

SINGA_REGISTER_SUBCOMMAND(help,
                          {.place = 110,
                           .name = "help",
                           .operands = "[X]",
                           .brief = "help on singa, a subcommand, a layer type, a field or a value",
                           .reads = Subcommand::kNothing,
                           .options = {},
                           .alone = false,
                           .help = nullptr,
                           .run = HelpCommand});

}  // namespace

std::string Help(const std::string& subcommand) {
  const Subcommand* const found = FindSubcommand(subcommand);
  if (found && found->help) return found->help;
  std::string text = Usage() + kMain + "\nSubcommands:\n";
  for (const Subcommand& known : Subcommands()) {
    char line[120];
    std::snprintf(line, sizeof line, "  %-10s %-7s %s\n", known.name, known.operands, known.brief);
    text += line;
  }
  return text + kClosing;
}

std::string Usage() {
  std::string names;
  for (const Subcommand& known : Subcommands())
    names += std::string(names.empty() ? "" : " ") + known.name;
  std::string usage = kUsage;
  constexpr std::string_view kNames = "%s";
  return usage.replace(usage.find(kNames), kNames.size(), names);
}

}  // namespace singa
