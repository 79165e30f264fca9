// KeptTimes keeps measured times of layers in files of the user's cache folder,
// $XDG_CACHE_HOME/singa/plan or ~/.cache/singa/plan, so that a plan is measured once. A file's name
// is a hash of all that the times depend on: the program's build, the CPU, the net and the workers.
#pragma once

#include <functional>
#include <optional>
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

 private:
  const bool fresh_;
  const std::function<void()> measures_;
  bool kept_ = false;  // all times came from files
  MeasuredTimes measured_;
};

// These convert times to a file's text and back; none: it is no such text.
std::string ToText(const PartTimes& times);
std::optional<PartTimes> TimesOf(const std::string& text);

}  // namespace singa
