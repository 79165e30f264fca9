#include "comm/codec/float_frame.h"

#include <memory>

#include "comm/codec/identity.h"

namespace singa {
namespace {

bool IsAligned(const Frame& frame) {
  return reinterpret_cast<uintptr_t>(frame.data()) % alignof(float) == 0;
}

// `encode` writes the bytes of `floats`, and returns their number.
template <typename Write>
EncodedFloats EncodeBy(const Codec& codec, std::span<const float> floats, const Write& encode) {
  const auto count = static_cast<int64_t>(floats.size());
  const int64_t most = codec.MostBytes(count);
  auto bytes = std::make_shared_for_overwrite<std::byte[]>(most);
  std::byte* const at = bytes.get();
  const int64_t size = encode(at);
  return {count, Frame(std::move(bytes), at, size), size < most};
}

}  // namespace

Frame FrameOf(std::vector<float> floats) {
  const auto keep = std::make_shared<const std::vector<float>>(std::move(floats));
  return Frame(keep, keep->data(), keep->size() * sizeof(float));
}

Frame CopyFloats(std::span<const float> floats) {
  return Frame::Copy(floats.data(), floats.size_bytes());
}

std::pair<Frame, float*> NewFloats(int64_t n) {
  auto floats = std::make_shared_for_overwrite<float[]>(n);
  float* const at = floats.get();
  return {Frame(std::move(floats), at, n * sizeof(float)), at};
}

EncodedFloats Plain(Frame floats) { return Encode(Identity(), 0, std::move(floats), {}); }

EncodedFloats Encode(const Codec& codec, int64_t step, Frame floats, std::span<float> state) {
  if (!codec.plain()) return Encode(codec, step, FloatsOf(floats), state);
  const auto count = static_cast<int64_t>(FloatsOf(floats).size());
  return {count, std::move(floats)};
}

EncodedFloats Encode(const Codec& codec, int64_t step, std::span<const float> floats,
                     std::span<float> state) {
  return EncodeBy(codec, floats,
                  [&](std::byte* to) { return codec.Encode(step, floats, state, to); });
}

EncodedFloats EncodeWhole(const Codec& codec, int64_t step, std::span<const float> floats,
                          std::span<float> state) {
  return EncodeBy(codec, floats,
                  [&](std::byte* to) { return codec.EncodeWhole(step, floats, state, to); });
}

EncodedFloats EncodeSum(const Codec& codec, std::span<const float> sum) {
  return EncodeBy(codec, sum, [&](std::byte* to) { return codec.EncodeSum(sum, to); });
}

std::optional<Frame> Decode(const Codec& codec, const Frame& bytes, int64_t n) {
  if (static_cast<int64_t>(bytes.size()) > codec.MostBytes(n)) return std::nullopt;
  if (n == 0) return bytes.size() == 0 ? std::optional(Frame()) : std::nullopt;
  if (codec.plain()) {
    if (static_cast<int64_t>(bytes.size()) != codec.MostBytes(n)) return std::nullopt;
    return IsAligned(bytes) ? bytes : Frame::Copy(bytes.data(), bytes.size());
  }
  auto [frame, floats] = NewFloats(n);
  if (!codec.Decode(bytes.bytes(), {floats, static_cast<size_t>(n)})) return std::nullopt;
  return std::move(frame);
}

}  // namespace singa
