// AveragedValues keeps the exponential moving average of values (JobProto.ema_decay). It is an
// Updater that follows a job's own: it reads the values that the other has updated, and changes
// only its state.
#pragma once

#include <string>
#include <vector>

#include "io/checkpoint/checkpoint.h"
#include "train/updater/element_updater.h"

namespace singa {

class AveragedValues final : public ElementUpdater<AverageElement> {
 public:
  // `decay`: the share of the old average in the new one; in (0, 1).
  explicit AveragedValues(double decay) : decay_(decay) {}

  std::vector<std::string> states() const override { return {kAverageState}; }

 private:
  AverageElement ElementOf(const UpdateStep& step) const override;
  const UpdateKernel& kernel() const override { return AverageUpdate; }

  const double decay_;
};

}  // namespace singa
