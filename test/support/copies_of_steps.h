// CopiesOfSixSteps counts copies between host and device, and within either.
#pragma once

#include <cstdint>
#include <functional>

#include "support/emulated_gpu.h"

namespace singa {

// Returns the copies of all emulated GPUs in six steps, after four others: the first steps copy
// more than later ones. `settle` waits for the work of the steps so far.
inline int64_t CopiesOfSixSteps(const std::function<void(int64_t step)>& train,
                                const std::function<void()>& settle) {
  int64_t copies = 0;
  for (int64_t step = 0; step < 10; ++step) {
    train(step);
    if (step != 3 && step != 9) continue;
    settle();
    copies = EmulatedGpu::copies_of_all() - copies;
  }
  return copies;
}

}  // namespace singa
