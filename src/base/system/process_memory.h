// The memory of this process.
#pragma once

#include <cstdint>
#include <optional>

namespace singa {

// Returns the bytes of memory that the process holds, besides files such as the program and its
// libraries. Memory that processes share counts in equal parts. Returns none if the system does not
// say it. Takes some ms for each GB.
std::optional<int64_t> ProcessMemory();

// Lets the process keep memory of up to some MB that it frees, for what it allocates next. The
// system clears each page that it gives, which takes longer than most copies. By default the C
// library gives blocks of messages back, and asks for them again, in each step of a job.
void KeepFreedMemory();

// Gives the system the memory that the process has freed.
void ReturnFreedMemory();

}  // namespace singa
