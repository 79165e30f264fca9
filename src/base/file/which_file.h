// WhichFile: tells a file or folder from another that takes its place.
#pragma once

#include <string>

namespace singa {

// Another text for another file or folder of that name, or after a change of it; "": there is none.
std::string WhichFile(const std::string& path);

}  // namespace singa
