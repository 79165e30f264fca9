#include "driver/job/slowest_process.h"

#include <algorithm>
#include <utility>

namespace singa {
namespace {

constexpr double kMatters = 0.2;  // share of a step

double WorkMs(const ProcessShare& share) { return share.step_ms - share.sync_wait_ms; }

}  // namespace

std::optional<SlowestProcess::Found> SlowestProcess::Find(const std::vector<ProcessShare>& shares) {
  const int before = std::exchange(before_, -1);
  if (shares.size() < 2) return std::nullopt;
  const auto less = [](const ProcessShare& a, const ProcessShare& b) {
    return WorkMs(a) < WorkMs(b);
  };
  const auto slowest = std::max_element(shares.begin(), shares.end(), less);
  double others = 0;
  for (const ProcessShare& share : shares)
    if (&share != &*slowest) others += WorkMs(share);
  others /= static_cast<double>(shares.size() - 1);
  const Found found = {static_cast<int>(slowest - shares.begin()),
                       (WorkMs(*slowest) - others) / slowest->step_ms};
  if (!(found.longer >= kMatters)) return std::nullopt;
  before_ = found.place;
  return found.place == before ? std::optional(found) : std::nullopt;
}

}  // namespace singa
