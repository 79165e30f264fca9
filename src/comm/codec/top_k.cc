// kTopK sends the `sparsity` share of a slice's floats that is largest in magnitude. Source: Aji,
// Heafield, Sparse communication for distributed gradient descent, EMNLP 2017, arXiv:1704.05021.
#include "comm/codec/top_k.h"

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
    conf_ = conf;
  }

 private:
  Positions Choose(int64_t step, std::span<const float> floats) const override {
    return PositionsOfLargest(floats, TopKCount(TopKShare(conf_, step), std::ssize(floats)));
  }

  AllReduceProto conf_;
};
SINGA_REGISTER_CODEC(kTopK, TopKCodec);

}  // namespace

float TopKShare(const AllReduceProto& conf, int64_t step) {
  if (step >= conf.warmup_steps()) return conf.sparsity();
  const auto stage = static_cast<int>(step * kStages / conf.warmup_steps());
  return std::max(conf.sparsity(), std::ldexp(0.25f, -2 * stage));
}

std::vector<float> TopKShares(const AllReduceProto& conf) {
  std::vector<float> shares;
  for (int64_t stage = 0; stage <= kStages; ++stage)
    shares.push_back(TopKShare(conf, (stage * conf.warmup_steps() + kStages - 1) / kStages));
  return shares;
}

// The product is a float: in float64, 500 x 0.1f is above 50, and 51 floats would be sent.
int64_t TopKCount(float share, int64_t n) {
  const auto count = static_cast<int64_t>(std::ceil(static_cast<float>(n) * share));
  return std::clamp<int64_t>(count, 1, n);
}

}  // namespace singa
