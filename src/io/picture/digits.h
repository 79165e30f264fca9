// The embedded data set: 28 x 28 grey pictures of handwritten-like digits, drawn from our own
// strokes. A picture is a function of (seed, stream, index) alone.
// tool/golden/digits_difficulty.py measures how hard they are.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace singa {

constexpr int kDigitSide = 28;
constexpr int kDigitPixels = kDigitSide * kDigitSide;
constexpr int64_t kTrainDigits = 10000;
constexpr int64_t kTestDigits = 2000;

// Fills `pixel` (row-major, 255 is ink) and returns the label.
uint8_t DrawDigit(uint64_t seed, const std::string& stream, uint32_t index,
                  std::span<uint8_t, kDigitPixels> pixel);

struct DigitSet {
  std::vector<uint8_t> pixels;  // [n, 28, 28]
  std::vector<uint8_t> labels;  // [n]
};
// Pictures 0 to n - 1. Training reads the stream "train", tests "t10k".
DigitSet DrawDigits(uint64_t seed, const std::string& stream, int64_t n);

}  // namespace singa
