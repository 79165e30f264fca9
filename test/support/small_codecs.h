// These are codecs that tests register.
#pragma once

#include <bit>
#include <cstring>
#include <vector>

#include "singa/comm/codec.h"

namespace singa {

// RoundingCodec sends the first 16 bits of each float (bfloat16, cut off), and keeps the rest for
// the next step.
class RoundingCodec : public Codec {
 public:
  int64_t MostBytes(int64_t n) const override { return n * static_cast<int64_t>(sizeof(uint16_t)); }
  int64_t states() const override { return 1; }
  int64_t Encode(int64_t, std::span<const float> floats, std::span<float> rest,
                 std::byte* to) const override {
    for (size_t i = 0; i < floats.size(); ++i, to += sizeof(uint16_t)) {
      const float sum = floats[i] + rest[i];
      const auto high = static_cast<uint16_t>(std::bit_cast<uint32_t>(sum) >> 16);
      rest[i] = sum - Value(high);
      std::memcpy(to, &high, sizeof high);
    }
    return MostBytes(static_cast<int64_t>(floats.size()));
  }
  bool Decode(std::span<const std::byte> bytes, std::span<float> floats) const override {
    if (bytes.size() != floats.size() * sizeof(uint16_t)) return false;
    for (size_t i = 0; i < floats.size(); ++i) {
      uint16_t high;
      std::memcpy(&high, bytes.data() + i * sizeof high, sizeof high);
      floats[i] = Value(high);
    }
    return true;
  }

 private:
  static float Value(uint16_t high) { return std::bit_cast<float>(uint32_t{high} << 16); }
};

// RoundingSumsCodec rounds the sums that servers send, too.
class RoundingSumsCodec final : public RoundingCodec {
 public:
  bool sends_sums() const override { return true; }
  int64_t EncodeSum(std::span<const float> floats, std::byte* to) const override {
    std::vector<float> rest(floats.size());
    return Encode(0, floats, rest, to);
  }
};

// NonzeroCodec sends the floats that are not 0, each with its index. Its number of bytes depends on
// the floats.
class NonzeroCodec final : public Codec {
 public:
  struct Entry {
    uint32_t index;
    float value;
  };

  int64_t MostBytes(int64_t n) const override { return n * static_cast<int64_t>(sizeof(Entry)); }
  int64_t Encode(int64_t, std::span<const float> floats, std::span<float>,
                 std::byte* to) const override {
    int64_t bytes = 0;
    for (size_t i = 0; i < floats.size(); ++i) {
      if (floats[i] == 0) continue;
      const Entry entry = {static_cast<uint32_t>(i), floats[i]};
      std::memcpy(to + bytes, &entry, sizeof entry);
      bytes += sizeof entry;
    }
    return bytes;
  }
  bool Decode(std::span<const std::byte> bytes, std::span<float> floats) const override {
    if (bytes.size() % sizeof(Entry) != 0) return false;
    for (float& x : floats) x = 0;
    for (size_t at = 0; at < bytes.size(); at += sizeof(Entry)) {
      Entry entry;
      std::memcpy(&entry, bytes.data() + at, sizeof entry);
      if (entry.index >= floats.size()) return false;
      floats[entry.index] = entry.value;
    }
    return true;
  }
};

}  // namespace singa
