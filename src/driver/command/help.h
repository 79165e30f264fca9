// The texts of `singa --help` and `singa SUBCOMMAND --help`.
#pragma once

#include <string>

namespace singa {

// Returns the help of the program for "" and "help", else the help of that subcommand.
std::string Help(const std::string& subcommand);
// Returns the lines that show how to call the program.
std::string Usage();

}  // namespace singa
