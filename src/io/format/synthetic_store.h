// The name of the store that makes records up, for programs that measure speed without data.
#pragma once

namespace singa {

inline constexpr char kSyntheticBackend[] = "synthetic";

}  // namespace singa
