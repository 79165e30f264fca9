// These functions make completion for shells and man pages from the table of subcommands.
#pragma once

#include <string>
#include <vector>

#include "driver/command/subcommand.h"

namespace singa {

// Returns the options that the help of a subcommand shows, with their dash, in alphabetical order.
// null: those of `singa` itself.
std::vector<std::string> OptionsOf(const Subcommand* subcommand);

// Returns a script that bash reads: completion of subcommands, options, files of jobs, types of
// layers and, behind -set, fields.
std::string BashCompletion();
// Returns the same for zsh.
std::string ZshCompletion();

// Returns a man page, in roff. null: that of `singa` itself.
std::string ManPage(const Subcommand* subcommand);

}  // namespace singa
