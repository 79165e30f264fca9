// LossScale is the factor of the gradients of losses, so that small gradients are not lost in
// float16. Updates divide by it. A step in which a gradient or a loss overflows is left out, and
// the scale is halved. It is doubled after many steps without overflow. Sources: Micikevicius et
// al., Mixed Precision Training, arXiv:1710.03740, section 3.2; first value, factors and number of
// steps are those of torch.amp.GradScaler, which has no bounds.
#pragma once

#include <bit>
#include <cstdint>

namespace singa {

class LossScale {
 public:
  static constexpr int64_t kFirst = int64_t{1} << 16, kMost = int64_t{1} << 24;
  static constexpr int64_t kGrowsAfter = 2000;  // steps

  // A power of two: scaling changes no bits of a fraction.
  int64_t value() const { return value_; }
  int64_t steps() const { return steps_; }  // since the last change

  // Counts a step whose gradients were finite.
  void Took() {
    if (++steps_ < kGrowsAfter) return;
    steps_ = 0;
    if (value_ < kMost) value_ *= 2;
  }

  // Halves the scale after a step that was not finite. Returns false if it is 1 already, so that
  // the step itself is at fault.
  bool BacksOff() {
    if (value_ == 1) return false;
    value_ /= 2;
    steps_ = 0;
    return true;
  }

  // Restores the scale. Returns false if the numbers are impossible.
  bool Set(int64_t value, int64_t steps) {
    if (value < 1 || value > kMost || !std::has_single_bit(static_cast<uint64_t>(value)) ||
        steps < 0 || steps >= kGrowsAfter)
      return false;
    value_ = value;
    steps_ = steps;
    return true;
  }

 private:
  int64_t value_ = kFirst, steps_ = 0;
};

}  // namespace singa
