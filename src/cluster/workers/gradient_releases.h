// GradientReleases measures when, in a step, the gradient of each slice is complete. It tells how
// much of an exchange of gradients the backward pass hides.
#pragma once

#include <cstdint>
#include <vector>

#include "base/thread/clock.h"
#include "comm/collective/slice_table.h"
#include "train/apply/slice_events.h"

namespace singa {

class GradientReleases final : public SliceEvents {
 public:
  // `workers`: of this process; `clock` must outlive it.
  GradientReleases(const SliceTable& table, int workers, const Clock* clock);

  void OnSum(int slice, int64_t) override { sum_[slice] = clock_.Now(); }
  void OnSubmitted(int slice, int64_t) override { submitted_[slice] = clock_.Now(); }
  void OnFresh(int, int64_t) override {}
  // Takes the times of the step that has ended. REQUIRES: no worker is in a step.
  void EndStep();

  // Returns how many of the `ms` that an exchange of all gradients takes by itself a step would
  // wait for. Slices go one after the other, each from its release on:
  //   t(0) = -before(0) + ms * share(0),  t(i) = max(t(i - 1), -before(i)) + ms * share(i)
  // Here before(i) is the mean time from the release of slice i to the last release, and share(i)
  // the slice's share of the floats. The result is the last t, and at least 0. Encoding counts as
  // no time before a release, as whole gradients need none.
  double ExposedMs(double ms) const;

 private:
  static constexpr int64_t kNone = -1;
  static constexpr int64_t kFirstSteps = 2;  // these are slow, and do not count

  const SliceTable table_;
  const int workers_;
  const Clock& clock_;
  std::vector<int64_t> sum_, submitted_;  // by slice, in this step
  std::vector<double> before_ms_;         // by slice, of all steps
  int64_t steps_ = 0;
};

}  // namespace singa
