// Threads sleep here until a number changes, which several processes may share by memory.
// (std::atomic::wait works within one process alone.)
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>
#include <ctime>

namespace singa {

static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t));

// Sleeps while `number` is `old`, a tenth of a second at most.
inline void FutexWait(const std::atomic<uint32_t>& number, uint32_t old) {
  const timespec longest = {0, 100'000'000};
  ::syscall(SYS_futex, &number, FUTEX_WAIT, old, &longest, nullptr, 0);
}

inline void FutexWakeAll(const std::atomic<uint32_t>& number) {
  ::syscall(SYS_futex, &number, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace singa
