// GreyOf gives the grey of a colour: 0.299 red + 0.587 green + 0.114 blue (ITU-R BT.601).
#pragma once

#include <cstdint>

namespace singa {

// Computes in whole numbers and rounds as Pillow's convert("L").
inline uint8_t GreyOf(const uint8_t* rgb) {
  return static_cast<uint8_t>((19595u * rgb[0] + 38470u * rgb[1] + 7471u * rgb[2] + 0x8000) >> 16);
}

// Returns the grey of samples of 16 bits, from 0 to 65535.
inline float GreyOf(const uint16_t* rgb) {
  return 0.299f * static_cast<float>(rgb[0]) + 0.587f * static_cast<float>(rgb[1]) +
         0.114f * static_cast<float>(rgb[2]);
}

}  // namespace singa
