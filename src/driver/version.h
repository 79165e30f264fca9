// What this build is.
#pragma once

#include <string>

namespace singa {

extern const char kVersion[];

// The widest vector instructions of this CPU that kernels use: avx512, avx2 or sse2.
std::string InstructionSet();
// The linker's identity of this library: hex digits, the same for the same code and data; "none"
// where it was linked without.
std::string BuildId();
// Text of `singa version`: version, build, libraries.
std::string VersionText();

}  // namespace singa
