// RankFindings are what the ranks of a group have found about their losses and gradients, in a
// device's memory. If one is not 0, all ranks leave the step out.
#pragma once

#include <cstdint>

#include "tensor/kernel/host_device.h"

namespace singa {

struct RankFindings {
  const float* found;  // [count]
  int64_t count;

  // Returns whether one is not 0.
  bool Any() const {
    for (int64_t i = 0; i < count; ++i)
      if (found[i] != 0) return true;
    return false;
  }
  // Returns it to each of the threads of a device's block, which call it together.
  template <typename B>
  SINGA_DEVICE bool Any(const B& block) const {
    float bad = 0;
    for (int64_t i = block.thread(); i < count; i += block.threads())
      if (found[i] != 0) bad = 1;
    return block.Max(bad) != 0;
  }
};

}  // namespace singa
