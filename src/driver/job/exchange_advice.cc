#include "driver/job/exchange_advice.h"

#include <algorithm>

#include "base/text/formatted.h"
#include "singa/base/str_cat.h"

namespace singa {

// The processes wait for each other, so the one that computes longest counts.
std::optional<std::string> ExchangeAdvice::Add(const std::vector<ProcessShare>& shares,
                                               double steps, const GradientReleases& releases) {
  if (done()) return {};
  const auto most = [&](double ProcessShare::*number) {
    double value = 0;
    for (const ProcessShare& share : shares) value = std::max(value, share.*number);
    return value;
  };
  steps_ += steps;
  step_ms_ += steps * most(&ProcessShare::step_ms);
  coding_ms_ += steps * most(&ProcessShare::coding_ms);
  work_ms_ += steps * most(&ProcessShare::work_ms);
  for (const ProcessShare& share : shares) bytes_ += share.bytes_sent;
  if (!done() || facts_.whole_bytes <= 0) return {};
  return Judge(releases);
}

std::optional<std::string> ExchangeAdvice::Judge(const GradientReleases& releases) const {
  const auto& [message_ms, whole_ms] = facts_.whole;
  const auto exposed = [&, message = message_ms](int last_messages, double ms) {
    return last_messages * message + releases.ExposedMs(ms);
  };
  const double transfer_ms = whole_ms - kMessagesOfSum * message_ms;
  const double share = bytes_ / steps_ / facts_.whole_bytes;
  const double coding_ms = coding_ms_ / steps_;
  const double exposed_ms = exposed(facts_.last_messages, share * transfer_ms + work_ms_ / steps_);
  const double whole = exposed(kMessagesOfSum, transfer_ms);
  if (coding_ms + exposed_ms <= whole + kLeastLoss * step_ms_ / steps_) return {};
  return StrCat(facts_.mode, " is slower than whole gradients here: a step spends ",
                MsText(coding_ms), " on encoding and ", MsText(exposed_ms),
                " on exposed communication; with whole gradients it would spend ", MsText(whole));
}

}  // namespace singa
