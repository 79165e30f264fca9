// MeasureMs times a piece of work.
#pragma once

#include <chrono>

namespace singa {

// Returns the milliseconds that `work` takes.
template <typename Work>
double MeasureMs(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  return took.count();
}

}  // namespace singa
