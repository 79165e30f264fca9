// Subcommand describes one of `singa SUBCOMMAND ...`. Each registers itself in its own file.
#pragma once

#include <string>
#include <vector>

#include "driver/command/command_line.h"

namespace singa {

struct Subcommand {
  // Arguments after the name: none, a job's file, or words that the subcommand parses itself.
  enum Reads : unsigned char { kNothing, kFile, kItsOwn };

  int place;  // place in the list of subcommands, which is ascending
  const char* name;
  const char* operands;  // operands as `singa --help` shows them
  const char* brief;     // one line
  Reads reads;
  std::vector<std::string> options;  // the program's options that it accepts
  // Under a launcher only one process runs it, and the others end at once.
  bool alone;
  const char* help;                     // text of `singa NAME --help`; null: the program's help
  int (*run)(const CommandLine& line);  // returns the exit code; throws Error
};

// All subcommands, by place.
const std::vector<Subcommand>& Subcommands();
// Returns null if there is no such subcommand.
const Subcommand* FindSubcommand(const std::string& name);
// Returns `; did you mean "check"?` with the nearest name, or "".
std::string NearestSubcommand(const std::string& name);

// Registers a subcommand. Called before main.
bool AddSubcommand(const Subcommand& subcommand);

#define SINGA_REGISTER_SUBCOMMAND(id, ...) \
  [[maybe_unused]] const bool registered_subcommand_##id = AddSubcommand(Subcommand __VA_ARGS__)

}  // namespace singa
