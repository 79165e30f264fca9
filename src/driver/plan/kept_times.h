// KeptTimes keeps measured times of layers in the plan cache, so that a plan is measured once. A
// text's name is a hash of all that the times depend on: the program's build, the CPU, the net and
// the workers.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "driver/plan/measured_times.h"

namespace singa {

class KeptTimes final : public PartTimer {
 public:
  // `fresh`: measure all, and only write files. `measures`, which may be null, is called before
  // something is measured.
  KeptTimes(bool fresh, std::function<void()> measures)
      : fresh_(fresh), measures_(std::move(measures)) {}
  // Without a folder that can be written, and with a damaged file, it measures.
  std::vector<PartTimes> Of(const std::vector<PartRequest>& requests) override;
  std::string source() const override;
  ModelError model_error() const override;

 private:
  const bool fresh_;
  const std::function<void()> measures_;
  bool kept_ = false;  // all times came from files
  MeasuredTimes measured_;
};

}  // namespace singa
