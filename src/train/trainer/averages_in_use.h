// AveragesInUse gives the nets of a worker the averages of the values that ema_decay keeps.
#pragma once

#include <utility>
#include <vector>

#include "train/trainer/trainer.h"

namespace singa {

// While it exists, the host's values of params that an update has changed are their averages. An
// evaluator may run after StepPath::Upload. Without ema_decay it does nothing. The values and their
// averages change places without a copy. REQUIRES: no step is under way in any group that uses the
// trainer's replica, and all workers of the trainer's group have called StepPath::Download.
class AveragesInUse {
 public:
  explicit AveragesInUse(Trainer* trainer);
  ~AveragesInUse();
  AveragesInUse(const AveragesInUse&) = delete;
  AveragesInUse& operator=(const AveragesInUse&) = delete;

 private:
  void Swap();

  Trainer& trainer_;
  std::vector<std::pair<Tensor*, Tensor*>> swapped_;  // values, and their average
};

}  // namespace singa
