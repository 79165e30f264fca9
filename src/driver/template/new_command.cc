#include "driver/template/new_command.h"

#include "driver/arguments/arguments.h"
#include "driver/command/subcommand.h"
#include "driver/new_job/new_job.h"
#include "driver/template/layer_project.h"
#include "singa/base/error.h"

namespace singa {

int NewCommand(const std::vector<std::string>& words) {
  if (!words.empty() && words[0] == "job") return NewJob(words);
  if (!words.empty() && words[0] == "layer") return NewLayer(words);
  throw UsageError("new", StrCat(words.empty() ? std::string("it writes a job or a layer")
                                               : StrCat("it writes a job or a layer, not \"",
                                                        Printable(words[0]), "\""),
                                 ": singa new job DATA DIR, or singa new layer NAME DIR"));
}

namespace {

constexpr const char* kNewHelp = R"(usage: singa new job [OPTION]... DATA DIR
       singa new layer NAME DIR

Both write to the new or empty folder DIR.

`new job` makes a job that learns from your own data. DATA is a table (CSV), or a folder with one
folder of pictures for each class. A fifth of the records, chosen at random, becomes test data.
DIR/job.conf is the whole job: singa -conf DIR/job.conf trains it. The command prints what it
decided and why. Run the job in the current folder if DATA and DIR are relative paths.

options for tables:
  -label_column C   the column to predict: its name, or its number from 1. Without it, the only
                    column named label, class, target or y, else the last column
  -targets N        N columns from that one on are numbers to predict; 0: the labels are classes
  -leave_out C[,C]  columns that the net does not learn from: their names, or their numbers from 1
  -header           the first line names the columns; needed if a name is a number, or is a word
                    that stands in its column, too, of a table of words alone
  -separator S      the character between fields, \t for a tab; without it, it is found out
option for all data:
  -seed N           makes another choice of test records

`new layer` writes a CMake project for a layer of your own: a plugin with the layer NAME, its
settings, kernels for CPUs and GPUs, a check of its gradients, and a job. DIR/README.md says how to
build and use it. NAME is the user_type of the layer in jobs, such as Gate. It has letters, digits
and _.

Exit code 2: the call is wrong, or the name is taken; 65: no job can be made of DATA; 66: DATA is
missing; 73: DIR has files or cannot be made.
)";

SINGA_REGISTER_SUBCOMMAND(new,
                          {.place = 48,
                           .name = "new",
                           .operands = "KIND",
                           .brief = "write a job for your own data, or a project for a layer",
                           .reads = Subcommand::kItsOwn,
                           .options = {},
                           .alone = true,
                           .help = kNewHelp,
                           .run = [](const CommandLine& line) { return NewCommand(line.args); }});

}  // namespace
}  // namespace singa
