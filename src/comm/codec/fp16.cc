// kFp16 sends each float as float16 (IEEE 754 binary16), times a power of two with which the
// largest of them is just below the largest float16: none overflows, and small ones keep their 11
// bits. Sums are float32, and there is no rest. With clip, floats of gradients, not of sums, are
// cut to [-clip, clip] before.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "math/elementwise/half.h"
#include "singa/comm/codec.h"
#include "singa/proto/cluster.pb.h"

namespace singa {
namespace {

constexpr int kExponent = 14;  // of the largest: 2^15 is below 65504, the largest float16
constexpr int kMost = 120;     // exponent of the power of two, which must be a float

// Returns the exponent of the power of two for these floats.
int8_t ExponentOf(std::span<const float> floats, float clip) {
  float largest = 0;
  for (const float x : floats) largest = std::max(largest, std::min(std::abs(x), clip));
  if (largest == 0) return 0;
  return static_cast<int8_t>(std::clamp(kExponent - std::ilogb(largest), -kMost, kMost));
}

class Fp16Codec final : public Codec {
 public:
  void Setup(const AllReduceProto& conf, float) override {
    if (conf.clip() > 0) clip_ = conf.clip();
  }
  int64_t MostBytes(int64_t n) const override { return 1 + n * int64_t{sizeof(uint16_t)}; }
  bool sends_sums() const override { return true; }
  int64_t Encode(int64_t, std::span<const float> floats, std::span<float>,
                 std::byte* to) const override {
    return Write(floats, clip_, to);
  }
  int64_t EncodeSum(std::span<const float> floats, std::byte* to) const override {
    return Write(floats, kNoClip, to);
  }
  bool Decode(std::span<const std::byte> bytes, std::span<float> floats) const override {
    if (bytes.size() != 1 + floats.size() * sizeof(uint16_t)) return false;
    int8_t exponent;
    std::memcpy(&exponent, bytes.data(), 1);
    if (std::abs(int{exponent}) > kMost) return false;
    const float factor = std::ldexp(1.f, -exponent);
    for (size_t i = 0; i < floats.size(); ++i) {
      uint16_t half;
      std::memcpy(&half, bytes.data() + 1 + i * sizeof half, sizeof half);
      floats[i] = Float16::ToFloat(half) * factor;
    }
    return true;
  }

 private:
  static constexpr float kNoClip = std::numeric_limits<float>::max();

  int64_t Write(std::span<const float> floats, float clip, std::byte* to) const {
    const int8_t exponent = ExponentOf(floats, clip);
    const float factor = std::ldexp(1.f, exponent);
    std::memcpy(to++, &exponent, 1);
    for (const float x : floats) {
      const uint16_t half = Float16::From(std::clamp(x, -clip, clip) * factor);
      std::memcpy(to, &half, sizeof half);
      to += sizeof half;
    }
    return MostBytes(std::ssize(floats));
  }

  float clip_ = kNoClip;
};
SINGA_REGISTER_CODEC(kFp16, Fp16Codec);

}  // namespace
}  // namespace singa
