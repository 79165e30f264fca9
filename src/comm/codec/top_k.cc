// kTopK sends the `sparsity` share of a slice's floats that is largest in magnitude. In the first
// warmup_steps the share is larger: a quarter, then a fourth of that, and so on. Source: Aji,
// Heafield, Sparse communication for distributed gradient descent, EMNLP 2017, arXiv:1704.05021;
// the warm-up of Deep Gradient Compression (sparse_codec.h).
#include <algorithm>
#include <cmath>

#include "comm/codec/sparse_codec.h"

namespace singa {
namespace {

constexpr int64_t kStages = 4;  // of the warm-up

class TopKCodec final : public SparseCodec {
 public:
  void Setup(const AllReduceProto& conf, float momentum) override {
    SparseCodec::Setup(conf, momentum);
    if (conf.factor_masking()) MaskFactors();
    sparsity_ = conf.sparsity();
    warmup_ = conf.warmup_steps();
  }

 private:
  float ShareIn(int64_t step) const {
    if (step >= warmup_) return sparsity_;
    const auto stage = static_cast<int>(step * kStages / warmup_);
    return std::max(sparsity_, std::ldexp(0.25f, -2 * stage));
  }
  Positions Choose(int64_t step, std::span<const float> floats) const override {
    const auto n = static_cast<int64_t>(floats.size());
    // As floats: 500 x 0.1f is 50 then.
    const auto share = static_cast<int64_t>(std::ceil(static_cast<float>(n) * ShareIn(step)));
    return PositionsOfLargest(floats, std::clamp<int64_t>(share, 1, n));
  }

  float sparsity_ = 1;
  int64_t warmup_ = 0;
};
SINGA_REGISTER_CODEC(kTopK, TopKCodec);

}  // namespace
}  // namespace singa
