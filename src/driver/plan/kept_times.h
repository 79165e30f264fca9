// KeptTimes keeps measured times of layers in the plan cache, so that a plan is measured once. A
// text has all times that were measured together, as plans compare these. Its name is a hash of all
// that the times depend on: the program's build, the CPU, the net and the workers.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "driver/plan/measured_times.h"

namespace singa {

class KeptTimes final : public PartTimer {
 public:
  // `fresh`: measure all, and only write files. `progress` may be null.
  KeptTimes(bool fresh, MeasureProgress progress) : fresh_(fresh), measured_(std::move(progress)) {}
  // Without a folder that can be written, and with a damaged file, it measures.
  std::vector<PartTimes> Of(const std::vector<PartRequest>& requests) override;
  std::string source() const override;
  ModelError model_error() const override;

 private:
  const bool fresh_;
  bool kept_ = false;  // the times came from a file
  MeasuredTimes measured_;
};

}  // namespace singa
