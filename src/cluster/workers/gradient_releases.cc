#include "cluster/workers/gradient_releases.h"

#include <algorithm>
#include <functional>

namespace singa {

GradientReleases::GradientReleases(const SliceTable& table, int workers, const Clock* clock)
    : table_(table),
      workers_(workers),
      clock_(*clock),
      sum_(table.size(), kNone),
      submitted_(table.size(), kNone),
      before_ms_(table.size()) {}

// Workers submit at the same time, so a release comes later by a worker's share of the time that
// the slices before it took.
void GradientReleases::EndStep() {
  std::vector<int> slices;
  for (int s = 0; s < table_.size(); ++s)
    if (sum_[s] != kNone && submitted_[s] >= sum_[s]) slices.push_back(s);
  std::ranges::sort(slices, {}, [&](int s) { return sum_[s]; });
  std::vector<double> released;  // of `slices`, in ms
  double submitting = 0;
  for (const int s : slices) {
    released.push_back((static_cast<double>(sum_[s]) - submitting) / kMillisecond);
    submitting += static_cast<double>(submitted_[s] - sum_[s]) / workers_;
  }
  if (steps_++ >= kFirstSteps)
    for (size_t i = 0; i < slices.size(); ++i)
      before_ms_[slices[i]] += released.back() - released[i];
  std::ranges::fill(sum_, kNone);
  std::ranges::fill(submitted_, kNone);
}

double GradientReleases::ExposedMs(double ms) const {
  const int64_t steps = steps_ - kFirstSteps;
  if (steps <= 0 || table_.elements() == 0) return ms;
  std::vector<int> slices(table_.size());
  for (int s = 0; s < table_.size(); ++s) slices[s] = s;
  std::ranges::stable_sort(slices, std::greater<>(), [&](int s) { return before_ms_[s]; });
  double end = -before_ms_[slices[0]] / static_cast<double>(steps);
  for (const int s : slices) {
    const double share =
        static_cast<double>(table_[s].size) / static_cast<double>(table_.elements());
    end = std::max(end, -before_ms_[s] / static_cast<double>(steps)) + ms * share;
  }
  return std::max(0.0, end);
}

}  // namespace singa
