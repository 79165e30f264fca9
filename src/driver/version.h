// These functions describe this build.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace singa {

extern const char kSingaVersion[];

// Returns the widest vector instructions of this CPU that kernels use: avx512, avx2 or sse2;
// neon on aarch64; baseline on other processors.
std::string InstructionSet();
// Returns the linker's build id of this library in hex, the same for the same code and data; "none"
// if it was linked without one.
std::string BuildId();
// Returns (name, version) of singa, its build, the libraries and the compiler.
std::vector<std::pair<std::string, std::string>> Versions();
// Returns the versions as text, as `singa version` prints them.
std::string VersionText();

}  // namespace singa
