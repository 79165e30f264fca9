// `singa completion bash|zsh` prints a script for a shell; `singa completion man DIR` writes man
// pages.
#include <cstdio>

#include "base/file/file_system.h"
#include "driver/arguments/arguments.h"
#include "driver/command/completion.h"
#include "io/file/text_file.h"
#include "singa/base/error.h"

namespace singa {
namespace {

void WriteManPages(const std::string& dir) {
  PosixFileSystem disk;
  disk.MakeDirectories(dir);
  WriteText(&disk, dir + "/singa.1", ManPage(nullptr));
  for (const Subcommand& known : Subcommands())
    if (known.help) WriteText(&disk, StrCat(dir, "/singa-", known.name, ".1"), ManPage(&known));
}

int CompletionCommand(const CommandLine& line) {
  const Arguments args("completion", line.args, {});
  const std::vector<std::string>& words = args.operands();
  if (words.size() == 2 && words[0] == "man")
    WriteManPages(words[1]);
  else if (words.size() == 1 && words[0] == "bash")
    std::fputs(BashCompletion().c_str(), stdout);
  else if (words.size() == 1 && words[0] == "zsh")
    std::fputs(ZshCompletion().c_str(), stdout);
  else
    args.ThrowUsage("needs bash, zsh, or man with a folder");
  return kExitOk;
}

constexpr const char* kCompletionHelp = R"(usage: singa completion bash|zsh
       singa completion man DIR

Prints a script for bash or zsh, which completes subcommands, options, files of jobs, types of
layers, and fields after -set. `man` writes the man pages into the folder DIR. An installed singa
has the scripts and the pages already.

  source <(singa completion bash)                 in ~/.bashrc
  singa completion zsh > ~/.zfunc/_singa          with ~/.zfunc in fpath
)";

SINGA_REGISTER_SUBCOMMAND(completion, {.place = 105,
                                       .name = "completion",
                                       .operands = "SHELL",
                                       .brief = "completion for bash or zsh, and man pages",
                                       .reads = Subcommand::kItsOwn,
                                       .options = {},
                                       .alone = true,
                                       .help = kCompletionHelp,
                                       .run = CompletionCommand});

}  // namespace
}  // namespace singa
