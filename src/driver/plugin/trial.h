// TryToLoad loads a shared library in another process first, as its code may end the process or
// hang.
#pragma once

#include <string>

namespace singa {

// Loading runs the library's constructors, and protobuf ends the process if two libraries define
// one extension. Returns "" if dlopen returns for the library at `path`, with or without an error;
// else what happened: "ends the process while it is loaded: ...". Takes at most 20 s, even if the
// library starts processes; those in the trial's process group are killed.
std::string TryToLoad(const std::string& path);

}  // namespace singa
