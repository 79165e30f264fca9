// What this build is.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace singa {

extern const char kSingaVersion[];

// The widest vector instructions of this CPU that kernels use: avx512, avx2 or sse2.
std::string InstructionSet();
// The linker's identity of this library: hex digits, the same for the same code and data; "none"
// where it was linked without.
std::string BuildId();
// (name, version) of singa, its build, the libraries and the compiler.
std::vector<std::pair<std::string, std::string>> Versions();
// The same as text: what `singa version` prints.
std::string VersionText();

}  // namespace singa
