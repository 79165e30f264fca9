// The subcommands, and what `singa --help` and `singa SUBCOMMAND --help` print on stdout.
#pragma once

#include <span>
#include <string>

namespace singa {

struct Subcommand {
  // The arguments behind its name: none, a job's file, or words that it reads itself.
  enum Reads : unsigned char { kNothing, kFile, kItsOwn };

  const char* name;
  const char* operands;  // as `singa --help` shows them
  const char* brief;     // one line
  Reads reads;
};

std::span<const Subcommand> Subcommands();
// Null: there is none of that name.
const Subcommand* FindSubcommand(const std::string& name);
// `; did you mean "check"?` for the nearest name, or "".
std::string NearestSubcommand(const std::string& name);

// Returns the help of the program for "" and "help", else the help of that subcommand.
std::string Help(const std::string& subcommand);
// The lines that show how to call it.
std::string Usage();

}  // namespace singa
