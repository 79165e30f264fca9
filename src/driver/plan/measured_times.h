// MeasuredTimes runs workers' parts of a net on this machine, for some steps, and measures each
// layer. The workers of a host run at once, at most twice as many as can compute at once, since
// they compete for cores, memory and caches. They wait for each other at bridges, but not at sums
// of gradients. They exchange nothing: features of other workers are zeros.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "driver/plan/measure_progress.h"
#include "driver/plan/part_times.h"

namespace singa {

class MeasuredTimes final : public PartTimer {
 public:
  explicit MeasuredTimes(MeasureProgress progress = nullptr) : progress_(std::move(progress)) {}
  // The parts take turns, as the speed of a machine changes. Throws DeviceError if the machine has
  // too little memory for one worker's part.
  std::vector<PartTimes> Of(const std::vector<PartRequest>& requests) override;
  std::string source() const override;

 private:
  const MeasureProgress progress_;
};

}  // namespace singa
