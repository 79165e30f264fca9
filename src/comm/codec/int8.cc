// kInt8 sends each float as an integer from -127 to 127, times a scale that a block of 256 floats
// has in common. The scale makes the block's largest magnitude 127. With error_feedback the sender
// adds what rounding has left out to the next floats. Sources: Dettmers et al., 8-bit Optimizers
// via Block-wise Quantization, ICLR 2022, arXiv:2110.02861, with equal steps; Seide et al., 1-Bit
// Stochastic Gradient Descent, Interspeech 2014, for the feedback.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <iterator>

#include "singa/comm/codec.h"
#include "singa/proto/cluster.pb.h"

namespace singa {
namespace {

constexpr size_t kInt8Block = 256;
constexpr float kLevels = 127;

// Returns NaN if a float is not finite.
float Int8ScaleOf(std::span<const float> block) {
  float largest = 0, zero = 0;
  for (const float x : block) {
    largest = std::max(largest, std::abs(x));
    zero += 0 * x;
  }
  return largest / kLevels + zero;
}

class Int8Codec final : public Codec {
 public:
  void Setup(const AllReduceProto& conf, float) override { feeds_back_ = conf.error_feedback(); }
  int64_t MostBytes(int64_t n) const override {
    const int64_t blocks = (n + int64_t{kInt8Block} - 1) / int64_t{kInt8Block};
    return n + blocks * int64_t{sizeof(float)};
  }
  int64_t states() const override { return feeds_back_ ? 1 : 0; }

  // `rest` may be empty: what rounding leaves out is then lost.
  int64_t Encode(int64_t, std::span<const float> floats, std::span<float> rest,
                 std::byte* to) const override {
    std::array<float, kInt8Block> left;
    for (size_t at = 0; at < floats.size(); at += kInt8Block) {
      const std::span<float> block(left.data(), std::min(kInt8Block, floats.size() - at));
      for (size_t i = 0; i < block.size(); ++i)
        block[i] = floats[at + i] + (rest.empty() ? 0 : rest[at + i]);
      to = Write(block, to);
      if (!rest.empty()) std::ranges::copy(block, rest.begin() + static_cast<int64_t>(at));
    }
    return MostBytes(std::ssize(floats));
  }

  bool Decode(std::span<const std::byte> bytes, std::span<float> floats) const override {
    if (std::ssize(bytes) != MostBytes(std::ssize(floats))) return false;
    const std::byte* from = bytes.data();
    for (size_t at = 0; at < floats.size(); at += kInt8Block) {
      float scale;
      std::memcpy(&scale, from, sizeof scale);
      from += sizeof scale;
      for (float& x : floats.subspan(at, std::min(kInt8Block, floats.size() - at)))
        x = scale * static_cast<float>(static_cast<int8_t>(*from++));
    }
    return true;
  }

 private:
  // Writes the block, and leaves in it what was not sent. Returns the end of what was written. A
  // block that is not finite decodes to floats that are not finite.
  static std::byte* Write(std::span<float> block, std::byte* to) {
    const float scale = Int8ScaleOf(block);
    std::memcpy(to, &scale, sizeof scale);
    to += sizeof scale;
    for (float& x : block) {
      const float steps = scale > 0 ? std::clamp(std::nearbyint(x / scale), -kLevels, kLevels) : 0;
      *to++ = static_cast<std::byte>(static_cast<int8_t>(steps));
      x -= scale * steps;
    }
    return to;
  }

  bool feeds_back_ = true;
};
SINGA_REGISTER_CODEC(kInt8, Int8Codec);

}  // namespace
}  // namespace singa
