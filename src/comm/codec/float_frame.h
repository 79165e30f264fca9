// Makes frames of floats, in memory or encoded by a Codec. A plain codec's frames serve as both,
// without a copy.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "comm/message/message.h"
#include "singa/comm/codec.h"

namespace singa {

// Returns a frame that owns `floats`.
Frame FrameOf(std::vector<float> floats);
Frame CopyFloats(std::span<const float> floats);
// Returns a frame of n floats, and the pointer to fill it by before anybody else has the frame.
std::pair<Frame, float*> NewFloats(int64_t n);
// REQUIRES: a frame of floats, not of encoded ones.
inline std::span<const float> FloatsOf(const Frame& frame) {
  return {static_cast<const float*>(frame.data()), frame.size() / sizeof(float)};
}

// Encoded floats, as a message carries them.
struct EncodedFloats {
  int64_t count = 0;  // floats
  Frame bytes;
  bool shorter = false;  // fewer bytes than Codec::MostBytes(count); the message states them
};

// Returns the floats by the Identity codec, without a copy.
EncodedFloats Plain(Frame floats);
// Encodes `floats`, or keeps them if the codec is plain. `step`, `state`: as in Codec::Encode.
EncodedFloats Encode(const Codec& codec, int64_t step, Frame floats, std::span<float> state);
// Encodes `floats` into new memory, also if the codec is plain.
EncodedFloats Encode(const Codec& codec, int64_t step, std::span<const float> floats,
                     std::span<float> state);
// Encodes all `floats`, as Codec::EncodeWhole does. REQUIRES: the codec is not plain.
EncodedFloats EncodeWhole(const Codec& codec, int64_t step, std::span<const float> floats,
                          std::span<float> state);
// Encodes a sum of gradients. REQUIRES: codec.sends_sums().
EncodedFloats EncodeSum(const Codec& codec, std::span<const float> sum);
// Returns a frame of n floats, or none if `bytes`, which a peer sent, does not encode n floats. A
// plain codec returns `bytes`, or a copy if they are not aligned. REQUIRES: the receiver expects n
// floats, since memory for n floats may be allocated.
std::optional<Frame> Decode(const Codec& codec, const Frame& bytes, int64_t n);

}  // namespace singa
