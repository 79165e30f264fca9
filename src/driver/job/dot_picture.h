// PrintSvg draws a graph by Graphviz's program `dot`.
#pragma once

#include <string>

#include "singa/base/error.h"

namespace singa {

// Prints the picture of a graph in the language DOT to stdout. Returns kExitOk. Throws Error with
// kExitNoInput if `dot` is not installed.
ExitCode PrintSvg(const std::string& dot);

}  // namespace singa
