// PartMemory counts the memory of one worker of a group before anything is allocated.
#pragma once

#include <cstdint>

#include "train/trainer/trainer.h"

namespace singa {

struct PartMemory {
  int64_t own = 0;     // features, gradients, lasting buffers, params that do not train
  int64_t shared = 0;  // values and updater states, with the first of the workers that share them

  int64_t total() const { return own + shared; }
  bool operator==(const PartMemory&) const = default;
};

// Returns the memory of the host that `worker` needs.
PartMemory MemoryOf(const Trainer& worker);

}  // namespace singa
