#include "driver/predict/hit_count.h"

#include <cstdio>

#include "base/text/counted.h"
#include "math/reduction/top_k.h"

namespace singa {

void HitCount::Add(std::span<const float> scores, int32_t label) {
  Context ctx;
  const auto size = static_cast<int64_t>(scores.size());
  CountTopK(ctx, scores.data(), &label, kNoneIgnored, hits_, 1, size, 1);
  if (top_ > 1) CountTopK(ctx, scores.data(), &label, kNoneIgnored, hits_in_top_, 1, size, top_);
}

void HitCount::Show(const std::string& what) const {
  const double n = hits_[1];
  if (n == 0) return;
  std::fprintf(stderr, "accuracy %.4f", hits_[0] / n);
  if (top_ > 1)
    std::fprintf(stderr, ", among the best %lld %.4f", static_cast<long long>(top_),
                 hits_in_top_[0] / n);
  std::fprintf(stderr, ", of %s with a label\n", Counted(static_cast<int64_t>(n), what).c_str());
}

}  // namespace singa
