// How long a step waits for others that live and do nothing, before it is said who they are.
#pragma once

#include <chrono>

namespace singa {

inline constexpr std::chrono::milliseconds kLongestWait = std::chrono::minutes(10);

}  // namespace singa
