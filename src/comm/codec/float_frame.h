// Frames of floats: in memory, and encoded by a Codec. A plain codec's frames are both, without a
// copy.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "comm/message/message.h"
#include "singa/comm/codec.h"

namespace singa {

// Takes the floats over.
Frame FrameOf(std::vector<float> floats);
Frame CopyFloats(std::span<const float> floats);
// A frame of n floats, and where to write them before anybody else has the frame.
std::pair<Frame, float*> NewFloats(int64_t n);
// REQUIRES: a frame of floats, not of encoded ones.
inline std::span<const float> FloatsOf(const Frame& frame) {
  return {static_cast<const float*>(frame.data()), frame.size() / sizeof(float)};
}

// Floats as they travel.
struct EncodedFloats {
  int64_t count = 0;  // floats
  Frame bytes;
  bool shorter = false;  // than Codec::MostBytes(count): the message says how long the bytes are
};

// Floats that travel as they are.
EncodedFloats Plain(Frame floats);
// `state`: as Codec::Encode has it. Keeps `floats` where the codec is plain.
EncodedFloats Encode(const Codec& codec, Frame floats, std::span<float> state);
// Copies `floats`.
EncodedFloats Encode(const Codec& codec, std::span<const float> floats, std::span<float> state);
// A frame of n floats; none where `bytes`, which a peer sent, does not encode so many. A plain
// codec's is `bytes`, or a copy where these are not aligned. REQUIRES: the receiver expects n
// floats, since n of them may be allocated.
std::optional<Frame> Decode(const Codec& codec, const Frame& bytes, int64_t n);

}  // namespace singa
