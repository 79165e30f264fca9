// These functions send floats by a codec, for its tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "singa/comm/codec.h"
#include "singa/proto/cluster.pb.h"

namespace singa {

inline std::unique_ptr<Codec> CodecOf(AllReduceProto::Compression compression,
                                      const AllReduceProto& settings = {}, float momentum = 0) {
  auto codec = Codecs().Make(AllReduceProto::Compression_Name(compression));
  codec->Setup(settings, momentum);
  return codec;
}
inline std::vector<float> Gaussian(size_t n, int seed) {
  std::mt19937 numbers(seed);
  std::normal_distribution<float> normal;
  std::vector<float> floats(n);
  for (float& x : floats) x = normal(numbers);
  return floats;
}

inline std::vector<std::byte> Encoded(const Codec& codec, const std::vector<float>& floats,
                                      std::vector<float>* rest, int64_t step = 0) {
  const auto n = static_cast<int64_t>(floats.size());
  rest->resize(codec.states() * n);
  std::vector<std::byte> bytes(codec.MostBytes(n));
  bytes.resize(codec.Encode(step, floats, *rest, bytes.data()));
  return bytes;
}

// Returns what the receiver gets of `floats`.
inline std::vector<float> SentFloats(const Codec& codec, const std::vector<float>& floats,
                                     std::vector<float>* rest) {
  std::vector<float> received(floats.size(), 7.f);
  EXPECT_TRUE(codec.Decode(Encoded(codec, floats, rest), received));
  return received;
}
inline std::vector<float> SentFloats(const Codec& codec, const std::vector<float>& floats) {
  std::vector<float> rest;
  return SentFloats(codec, floats, &rest);
}

// Returns the magnitudes of the floats that are not 0, the largest first.
inline std::vector<float> Magnitudes(std::vector<float> floats) {
  std::erase(floats, 0.f);
  for (float& x : floats) x = std::abs(x);
  std::ranges::sort(floats, std::greater<>());
  return floats;
}

}  // namespace singa
