// Pooling gives the largest value or the mean of each window, channel by channel.
//   max: padding never wins; of equal values the first in row-major order wins and alone gets the
//        gradient. Equals torch.nn.functional.max_pool2d.
//   avg: sum over the window with zeros as padding / area of the window within the padded image.
//        Equals avg_pool2d with count_include_pad.
//        The sum is float64, or float64 over float32 sums of kMeanChain values.
// Only with ceil_mode the last windows of a side may reach beyond the padded image.
#pragma once

#include <memory>

#include "nn/feature/window.h"
#include "singa/tensor/kernel.h"

namespace singa {

// Most values that a mean adds up in float32, one after the other. The sum of so many equal values
// is wrong by less than 1e-5 of itself, and a float32 sum of a million by 1e-2.
inline constexpr int64_t kMeanChain = 128;

struct PoolingDesc {
  ImageShape in, out;  // out.c == in.c
  Window window;       // pad < kernel on both sides
  bool max = true;     // false: avg

  // Returns the area of a window within the padded image.
  SINGA_HD int64_t AreaWithin(int64_t y, int64_t x) const {
    return window.y.Within(y, in.h) * window.x.Within(x, in.w);
  }
  // Returns the area of a window over its area within the padded image.
  SINGA_HD float WeightOf(int64_t y, int64_t x) const {
    return static_cast<float>(window.area()) / static_cast<float>(AreaWithin(y, x));
  }
  // Returns whether a window reaches beyond the padded image.
  bool cut() const { return AreaWithin(out.h - 1, out.w - 1) < window.area(); }
};

// The prepared pooling of one layer. x, dx: [n, h, w, c]; y, dy: [n, oh, ow, c]. Calls may use
// scratch_bytes() of Context::scratch. Forward writes winner_bytes() to `winners`, which Backward
// reads.
class PoolingPlan {
 public:
  virtual ~PoolingPlan() = default;
  virtual const char* name() const = 0;
  virtual int64_t scratch_bytes() const = 0;
  virtual int64_t winner_bytes() const = 0;  // 0 for avg
  virtual void Forward(Context& ctx, const float* x, float* y, void* winners) = 0;
  virtual void Backward(Context& ctx, const float* dy, const void* winners, float* dx) = 0;
};

inline constinit PlanKernel<PoolingDesc, PoolingPlan> MakePooling{"Pooling"};

}  // namespace singa
