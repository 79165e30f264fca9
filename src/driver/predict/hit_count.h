// HitCount counts how often the label has the best score.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace singa {

class HitCount {
 public:
  // Also counts how often the label is among the `top` best scores, if top >= 2.
  explicit HitCount(int64_t top) : top_(top) {}

  // Adds a record. REQUIRES: label is in [0, scores.size()).
  void Add(std::span<const float> scores, int32_t label);
  // Prints a line on stderr, unless nothing was added. `what` names the things with labels:
  // "record".
  void Show(const std::string& what) const;

 private:
  const int64_t top_;
  double hits_[2] = {}, hits_in_top_[2] = {};  // [0]: hits, [1]: labels
};

}  // namespace singa
