// SparseCodec is the base of codecs that send some floats of a slice. With error_feedback what was
// not sent, the rest, is added to the next gradient. With momentum correction each process
// accumulates momentum itself: u = m u + g, rest += u, and the largest of the rest are sent. With
// factor masking the momentum u of each float that is sent becomes 0. Source: Lin et al., Deep
// Gradient Compression, ICLR 2018, arXiv:1712.01887.
#pragma once

#include "comm/codec/largest_floats.h"
#include "comm/codec/sparse_floats.h"
#include "singa/comm/codec.h"
#include "singa/proto/cluster.pb.h"

namespace singa {

class SparseCodec : public Codec {
 public:
  void Setup(const AllReduceProto& conf, float momentum) override {
    feeds_back_ = conf.error_feedback();
    momentum_ = momentum;
  }
  int64_t MostBytes(int64_t n) const override { return MostSparseBytes(n); }
  // The rest, and u if there is momentum.
  int64_t states() const override { return !feeds_back_ ? 0 : momentum_ > 0 ? 2 : 1; }
  int64_t Encode(int64_t step, std::span<const float> floats, std::span<float> state,
                 std::byte* to) const override;
  // Sends u, or the gradient without momentum. Nothing is added to the rest.
  int64_t EncodeWhole(int64_t step, std::span<const float> floats, std::span<float> state,
                      std::byte* to) const override;
  bool sends_sums() const override { return true; }
  // Leaves out zeros alone.
  int64_t EncodeSum(std::span<const float> floats, std::byte* to) const override;
  bool Decode(std::span<const std::byte> bytes, std::span<float> floats) const override {
    return ReadSparse(bytes, floats);
  }

 protected:
  // Lets floats that are sent begin again without momentum.
  void MaskFactors() { masks_ = true; }
  // Returns which of the floats are sent in `step`.
  virtual Positions Choose(int64_t step, std::span<const float> floats) const = 0;

 private:
  bool feeds_back_ = true, masks_ = false;
  float momentum_ = 0;
};

}  // namespace singa
