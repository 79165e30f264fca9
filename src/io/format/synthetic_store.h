// Name of the store that generates records, for programs that measure speed without data.
#pragma once

namespace singa {

inline constexpr char kSyntheticBackend[] = "synthetic";

}  // namespace singa
