// The vendor libraries that were compiled in, by name and version: "oneDNN 2.6.3". Each one's file
// adds a line before main.
#pragma once

#include <string>
#include <vector>

namespace singa {

inline std::vector<std::string>& Libraries() {
  static std::vector<std::string> libraries;
  return libraries;
}

inline bool AddLibrary(const std::string& name) {
  Libraries().push_back(name);
  return true;
}

}  // namespace singa
