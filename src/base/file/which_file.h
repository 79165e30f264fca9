// WhichFile tells a file or folder from another that takes its place.
#pragma once

#include <string>

namespace singa {

// Returns a text that differs for another file or folder of this name, and after a change of it;
// "": there is none.
std::string WhichFile(const std::string& path);

}  // namespace singa
