// Subcommand: one of `singa SUBCOMMAND ...`. Each registers itself in its own file.
#pragma once

#include <string>
#include <vector>

#include "driver/command/command_line.h"

namespace singa {

struct Subcommand {
  // The arguments behind its name: none, a job's file, or words that it reads itself.
  enum Reads : unsigned char { kNothing, kFile, kItsOwn };

  int place;  // in the list of subcommands, which is ascending
  const char* name;
  const char* operands;  // as `singa --help` shows them
  const char* brief;     // one line
  Reads reads;
  std::vector<std::string> options;  // of the program's options, those that it takes
  // Under a launcher one process does it alone, and the others end at once.
  bool alone;
  const char* help;                     // what `singa NAME --help` prints; null: the program's help
  int (*run)(const CommandLine& line);  // returns the exit code; throws Error
};

// All of them, by place.
const std::vector<Subcommand>& Subcommands();
// Null: there is none of that name.
const Subcommand* FindSubcommand(const std::string& name);
// `; did you mean "check"?` for the nearest name, or "".
std::string NearestSubcommand(const std::string& name);

// Before main.
bool AddSubcommand(const Subcommand& subcommand);

#define SINGA_REGISTER_SUBCOMMAND(id, ...) \
  [[maybe_unused]] const bool registered_subcommand_##id = AddSubcommand(Subcommand __VA_ARGS__)

}  // namespace singa
