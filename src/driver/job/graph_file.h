// Pictures of a net: SINGA 0.3's JSON and Graphviz's DOT.
#pragma once

#include <string>

#include "singa/nn/net.h"

namespace singa {

std::string GraphJson(const Net& net);
std::string GraphDot(const Net& net, const std::string& title);
// Writes `stem`.json and `stem`.dot. Throws FileError.
void WriteGraphFiles(const Net& net, const std::string& stem, const std::string& title);

}  // namespace singa
