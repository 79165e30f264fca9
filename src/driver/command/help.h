// The texts of `singa --help` and `singa SUBCOMMAND --help`.
#pragma once

#include <string>

namespace singa {

// Returns the help of the program for "" and "help", else the help of that subcommand.
std::string Help(const std::string& subcommand);
// The lines that show how to call it.
std::string Usage();

}  // namespace singa
