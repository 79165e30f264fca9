// `singa version`, or `singa --version`, prints versions.
#include <cstdio>

#include "driver/command/subcommand.h"
#include "driver/version.h"
#include "singa/base/error.h"

namespace singa {
namespace {

constexpr const char* kVersionHelp = R"(usage: singa version, or singa --version

Prints the version and how this program was built. The build id is a hash, made by the linker, of
the library's machine code: programs with one build id compute the same.
)";

int VersionCommand(const CommandLine&) {
  std::fputs(VersionText().c_str(), stdout);
  return kExitOk;
}

SINGA_REGISTER_SUBCOMMAND(version, {.place = 100,
                                    .name = "version",
                                    .operands = "",
                                    .brief = "version and how it was built; the same as --version",
                                    .reads = Subcommand::kNothing,
                                    .options = {},
                                    .alone = false,
                                    .help = kVersionHelp,
                                    .run = VersionCommand});

}  // namespace
}  // namespace singa
