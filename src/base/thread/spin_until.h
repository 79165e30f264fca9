// SpinUntil waits awake. Threads of one step wait for each other for microseconds, which sleeping
// and waking would multiply.
#pragma once

#include <thread>

namespace singa {

// Tells the processor that this thread only waits, in a loop.
inline void PauseInSpin() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Waits awake until done(), for some 100 microseconds, and returns done(). `threads`: the number of
// threads that wait for each other. If it exceeds the cores, asks done() once, since spinning would
// hold up the others.
template <typename Done>
bool SpinUntil(const Done& done, int threads) {
  static const int cores = static_cast<int>(std::thread::hardware_concurrency());
  constexpr int kSpins = 4000;
  for (int i = 0; threads <= cores && i < kSpins; ++i) {
    if (done()) return true;
    PauseInSpin();
  }
  return done();
}

}  // namespace singa
