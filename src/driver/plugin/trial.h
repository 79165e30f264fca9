// A first load of a shared library in another process, which its code may end or hang.
#pragma once

#include <string>

namespace singa {

// Its constructors run while a library is loaded, and protobuf ends the process where two define
// one extension. Returns "" where the library at `path` can be loaded or refused by dlopen, else
// what happened: "ends the process while it is loaded: ...". Takes 20 s at most, whatever processes
// the library starts; those that stay in the group of the trial are ended with it.
std::string TryToLoad(const std::string& path);

}  // namespace singa
