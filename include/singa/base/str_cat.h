// StrCat joins its arguments as operator<< prints them.
#pragma once

#include <sstream>
#include <string>

namespace singa {

template <typename... Args>
std::string StrCat(const Args&... args) {
  std::ostringstream out;
  (out << ... << args);
  return std::move(out).str();
}

}  // namespace singa
