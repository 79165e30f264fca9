// `singa layers [TYPE]` lists the types of layers, or shows the settings of one.
#include <cstdio>

#include "driver/arguments/arguments.h"
#include "driver/command/help_topic.h"
#include "driver/command/subcommand.h"
#include "driver/schema/layer_text.h"
#include "singa/base/error.h"

namespace singa {
namespace {

int LayersCommand(const CommandLine& line) {
  const Arguments args("layers", line.args, {.values = {"conf"}, .repeated = {"plugin"}});
  if (args.operands().size() > 1)
    args.ThrowUsage(StrCat("takes one type, a second is \"", Printable(args.operands()[1]), "\""));
  LoadPluginsForHelp(args.All("plugin"), args.Get("conf"));
  const std::string text =
      args.operands().empty() ? LayersText() : HelpOnLayer("layers", args.operands()[0]);
  std::fputs(text.c_str(), stdout);
  return kExitOk;
}

constexpr const char* kLayersHelp = R"(usage: singa layers [-conf FILE] [-plugin LIBRARY]... [TYPE]

Lists the types of layers by kind, one line each: type, what it computes, the field of its settings.
With TYPE, such as kConvolution, it prints the sources of the layer, its settings with their types,
defaults and ranges, and an example. `singa help TYPE` prints the same, with the same options.

  -conf FILE        a job, whose plugins are loaded
  -plugin LIBRARY   a shared library with layers; any number of times
)";

SINGA_REGISTER_SUBCOMMAND(layers, {.place = 32,
                                   .name = "layers",
                                   .operands = "[TYPE]",
                                   .brief = "list the types of layers, or the settings of one",
                                   .reads = Subcommand::kItsOwn,
                                   .options = {},
                                   .alone = true,
                                   .help = kLayersHelp,
                                   .run = LayersCommand});

}  // namespace
}  // namespace singa
