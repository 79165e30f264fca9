// SparseCodec is the base of codecs that send some floats of a slice. With error_feedback the rest,
// which is the codec's state, is added to the next gradient.
#pragma once

#include "comm/codec/sparse_floats.h"
#include "singa/comm/codec.h"
#include "singa/proto/cluster.pb.h"

namespace singa {

class SparseCodec : public Codec {
 public:
  void Setup(const AllReduceProto& conf) override { feeds_back_ = conf.error_feedback(); }
  int64_t MostBytes(int64_t n) const override { return MostSparseBytes(n); }
  int64_t states() const override { return feeds_back_ ? 1 : 0; }
  int64_t Encode(std::span<const float> floats, std::span<float> rest,
                 std::byte* to) const override;
  bool sends_sums() const override { return true; }
  // Leaves out zeros alone.
  int64_t EncodeSum(std::span<const float> floats, std::byte* to) const override;
  bool Decode(std::span<const std::byte> bytes, std::span<float> floats) const override {
    return ReadSparse(bytes, floats);
  }

 protected:
  // Returns which of the floats are sent.
  virtual Largest Choose(std::span<const float> floats) const = 0;

 private:
  bool feeds_back_ = true;
};

}  // namespace singa
