// SliceEvents hears how far the gradients of a step have come, for measurements. Any thread may
// call it, also while it holds a lock, so no method may block.
#pragma once

#include <cstdint>

namespace singa {

class SliceEvents {
 public:
  virtual ~SliceEvents() = default;

  // The sum of a slice's gradient over the workers that share memory is there. These two come
  // before and after SliceUpdates::Submit.
  virtual void OnSum(int slice, int64_t step) = 0;
  virtual void OnSubmitted(int slice, int64_t step) = 0;
  // The values here include `step`, for which other processes or servers did a part.
  virtual void OnFresh(int slice, int64_t step) = 0;
};

}  // namespace singa
