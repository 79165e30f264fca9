// kFp16 sends each float as float16 (IEEE 754 binary16), times a power of two. With this power the
// largest float of a slice is just below the largest float16, so no float overflows. Sums are
// float32, and there is no residual. With clip, floats of gradients are first cut to [-clip, clip];
// floats of sums are not cut.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "comm/codec/fp16_elements.h"
#include "math/cpu_dispatch.h"
#include "math/elementwise/float16_range.h"
#include "singa/comm/codec.h"
#include "singa/proto/cluster.pb.h"

namespace singa {
namespace {

// Returns the largest magnitude of the floats that are not NaN. The bits of magnitudes are
// compared, since g++ makes vector code of maxima of integers only.
SINGA_CPU_CLONES float LargestMagnitude(const float* __restrict x, int64_t n) {
  constexpr int32_t kInfinity = 0x7F800000;
  int32_t largest = 0;
  for (int64_t i = 0; i < n; ++i) {
    const int32_t magnitude = std::bit_cast<int32_t>(x[i]) & 0x7FFFFFFF;
    largest = std::max(largest, magnitude > kInfinity ? 0 : magnitude);
  }
  return std::bit_cast<float>(largest);
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
    if (std::abs(int{exponent}) > kMostHalfExponent) return false;
    UnpackFloat16(bytes.data() + 1, std::ssize(floats), std::ldexp(1.f, -exponent), floats.data());
    return true;
  }

 private:
  int64_t Write(std::span<const float> floats, float clip, std::byte* to) const {
    const float largest = LargestMagnitude(floats.data(), std::ssize(floats));
    const auto exponent = static_cast<int8_t>(HalfExponent(std::min(largest, clip)));
    std::memcpy(to, &exponent, 1);
    PackFloat16(floats.data(), std::ssize(floats), clip, std::ldexp(1.f, exponent), to + 1);
    return MostBytes(std::ssize(floats));
  }

  float clip_ = kNoClip;
};
SINGA_REGISTER_CODEC(kFp16, Fp16Codec);

}  // namespace
}  // namespace singa
