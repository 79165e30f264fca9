// RestartBudget decides how often, and after which pause, a supervised job starts again. A
// checkpoint resets the count, as a job of a month may have more losses than one of an hour.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

namespace singa {

class RestartBudget {
 public:
  explicit RestartBudget(int most) : most_(most) {}

  // Takes another restart and returns the pause before it; nullopt: none is left. The first restart
  // is at once. Later pauses grow, as a disturbance may last, such as of a network.
  std::optional<std::chrono::seconds> Next() {
    if (used_ >= most_) return std::nullopt;
    constexpr int kPauses[] = {0, 2, 8, 30, 60};
    return std::chrono::seconds(kPauses[std::min<size_t>(used_++, std::size(kPauses) - 1)]);
  }
  // Resets the count after a checkpoint.
  void Forgive() { used_ = 0; }
  // Returns the restarts since the last checkpoint.
  int used() const { return used_; }

 private:
  const int most_;
  int used_ = 0;
};

}  // namespace singa
