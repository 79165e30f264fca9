// DrawDigits draws the embedded data set: 28 x 28 grey pictures that look like handwritten digits.
// A picture depends only on (seed, stream, index). tool/golden/digits_difficulty.py measures how
// hard the pictures are to classify.
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
// Draws pictures 0 to n - 1. Training uses the stream "train", tests "t10k".
DigitSet DrawDigits(uint64_t seed, const std::string& stream, int64_t n);

}  // namespace singa
