#include "comm/codec/identity.h"

#include <algorithm>

namespace singa {
namespace {

class IdentityCodec final : public Codec {
 public:
  int64_t MostBytes(int64_t n) const override { return n * static_cast<int64_t>(sizeof(float)); }
  bool plain() const override { return true; }
  int64_t Encode(int64_t, std::span<const float> floats, std::span<float>,
                 std::byte* to) const override {
    std::copy_n(std::as_bytes(floats).data(), floats.size_bytes(), to);
    return static_cast<int64_t>(floats.size_bytes());
  }
  bool Decode(std::span<const std::byte> bytes, std::span<float> floats) const override {
    if (bytes.size() != floats.size_bytes()) return false;
    std::copy_n(bytes.data(), bytes.size(), std::as_writable_bytes(floats).data());
    return true;
  }
};
SINGA_REGISTER_CODEC(kNone, IdentityCodec);

}  // namespace

const Codec& Identity() {
  static const IdentityCodec codec;
  return codec;
}

}  // namespace singa
