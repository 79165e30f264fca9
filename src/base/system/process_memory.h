// The memory of this process.
#pragma once

#include <cstdint>
#include <optional>

namespace singa {

// Returns the bytes of memory that the process holds, besides files such as the program and its
// libraries. Memory that processes share counts in equal parts. Returns none if the system does not
// say it. Takes some ms for each GB.
std::optional<int64_t> ProcessMemory();

// Gives the system the memory that the process has freed.
void ReturnFreedMemory();

}  // namespace singa
