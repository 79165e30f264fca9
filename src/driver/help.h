// What `singa --help` and `singa SUBCOMMAND --help` print on stdout.
#pragma once

#include <string>
#include <vector>

namespace singa {

const std::vector<std::string>& Subcommands();

// Of the program for "", else of that subcommand.
std::string Help(const std::string& subcommand);
// The lines that show how to call it.
std::string Usage();

}  // namespace singa
