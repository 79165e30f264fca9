// kThreshold sends a slice's floats of magnitude `threshold` and more. With error_feedback the
// sender adds what it has not sent to the next gradient. Source: Strom, Scalable distributed DNN
// training using commodity GPU cloud computing, Interspeech 2015; without its one bit for each
// float.
#include "comm/codec/sparse_codec.h"

namespace singa {
namespace {

class ThresholdCodec final : public SparseCodec {
 public:
  void Setup(const AllReduceProto& conf, float momentum) override {
    SparseCodec::Setup(conf, momentum);
    bits_ = MagnitudeBits(conf.threshold());
  }

 private:
  Positions Choose(int64_t, std::span<const float> floats) const override {
    return PositionsFrom(floats, bits_);
  }

  uint32_t bits_ = 0;
};
SINGA_REGISTER_CODEC(kThreshold, ThresholdCodec);

}  // namespace
}  // namespace singa
