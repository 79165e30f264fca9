// HitCount: how often the best scores are those of the label.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace singa {

class HitCount {
 public:
  // `top`: of how many best scores it counts, too, whether the label is among them; < 2: none.
  explicit HitCount(int64_t top) : top_(top) {}

  // label: in [0, scores.size()).
  void Add(std::span<const float> scores, int32_t label);
  // A line on stderr; none where nothing was added. `what`: has a label, "records".
  void Show(const std::string& what) const;

 private:
  const int64_t top_;
  double hits_[2] = {}, hits_in_top_[2] = {};  // and labels
};

}  // namespace singa
