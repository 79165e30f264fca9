// How often steps copy between host and device, or within either.
#pragma once

#include <cstdint>
#include <functional>

#include "support/emulated_gpu.h"

namespace singa {

// Copies of all emulated GPUs in six steps, after four: the first ones are other than those that
// follow. `settle` waits for the work of the steps so far.
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
