#include "driver/job/exchange_advice.h"

#include <algorithm>
#include <cstdio>

#include "singa/base/str_cat.h"

namespace singa {
namespace {

std::string Ms(double ms) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3g ms", ms);
  return text;
}

}  // namespace

// The process that waits least is the slowest one; the others wait for it, too, not for the link.
std::optional<std::string> ExchangeAdvice::Add(const std::vector<ProcessShare>& shares,
                                               double steps) {
  if (done_ || whole_ms_ <= 0 || shares.empty()) return {};
  const auto exchange = [](const ProcessShare& one) { return one.sync_wait_ms + one.coding_ms; };
  steps_ += steps;
  exchange_ms_ += steps * exchange(*std::ranges::min_element(shares, {}, exchange));
  if (steps_ < kSteps) return {};
  done_ = true;
  const double mean_ms = exchange_ms_ / steps_;
  if (mean_ms <= whole_ms_) return {};
  return StrCat(mode_, " is slower than whole gradients here: a step spends ", Ms(mean_ms),
                " on encoding and waiting, and an exchange of whole gradients takes ",
                Ms(whole_ms_));
}

}  // namespace singa
