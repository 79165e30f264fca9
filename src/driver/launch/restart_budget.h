// RestartBudget: how often, and after which pause, a supervised job starts again. A checkpoint
// forgives what came before it: a job of a month may lose more than one of an hour.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

namespace singa {

class RestartBudget {
 public:
  explicit RestartBudget(int most) : most_(most) {}

  // Another restart, and the pause before it; none: there are no more. The first is at once; a
  // disturbance that lasts, as of a network, is waited for longer each time.
  std::optional<std::chrono::seconds> Next() {
    if (used_ >= most_) return std::nullopt;
    constexpr int kPauses[] = {0, 2, 8, 30, 60};
    return std::chrono::seconds(kPauses[std::min<size_t>(used_++, std::size(kPauses) - 1)]);
  }
  // The job has committed a checkpoint.
  void Forgive() { used_ = 0; }
  // Restarts since then.
  int used() const { return used_; }

 private:
  const int most_;
  int used_ = 0;
};

}  // namespace singa
