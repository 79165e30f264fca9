// These functions convert ranges of numbers between float and float16, by the CPU's instructions
// (F16C) if it has them. The bits are those of Float16::From and Float16::ToFloat on every CPU.
#pragma once

#include <cstddef>
#include <cstdint>

namespace singa {

// Writes clamp(x[i], -clip, clip) times factor as float16. x: [n]; y: 2 n bytes, at any address.
void PackFloat16(const float* x, int64_t n, float clip, float factor, std::byte* y);

// Sets y[i] to float16 i of x, times factor. x: 2 n bytes, at any address; y: [n].
void UnpackFloat16(const std::byte* x, int64_t n, float factor, float* y);

}  // namespace singa
