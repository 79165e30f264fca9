// kTopK sends the `sparsity` share of a slice's floats that is largest in magnitude. With
// error_feedback the sender adds what it has not sent to the next gradient. Source: Aji, Heafield,
// Sparse communication for distributed gradient descent, EMNLP 2017, arXiv:1704.05021.
#include <algorithm>
#include <cmath>

#include "comm/codec/sparse_codec.h"

namespace singa {
namespace {

class TopKCodec final : public SparseCodec {
 public:
  void Setup(const AllReduceProto& conf) override {
    SparseCodec::Setup(conf);
    sparsity_ = conf.sparsity();
  }

 private:
  Largest Choose(std::span<const float> floats) const override {
    const auto n = static_cast<int64_t>(floats.size());
    // As floats: 500 x 0.1f is 50 then.
    const auto share = static_cast<int64_t>(std::ceil(static_cast<float>(n) * sparsity_));
    return FindLargest(floats, std::clamp<int64_t>(share, 1, n));
  }

  float sparsity_ = 1;
};
SINGA_REGISTER_CODEC(kTopK, TopKCodec);

}  // namespace
}  // namespace singa
