// Blocks and CopyPiece handle pieces of a tensor along one logical dimension.
#pragma once

#include "math/layout/blocks.h"
#include "singa/tensor/tensor.h"

namespace singa {

// A feature's memory as [outer, size, inner] around one logical dimension. A feature of four
// dimensions (n, c, h, w) is stored as [n, h, w, c].
struct Blocks {
  int64_t outer = 1, size = 1, inner = 1;

  Blocks(const Shape& shape, int dim) {
    constexpr int kChannelsLast[] = {0, 2, 3, 1};  // logical dimension at each stored position
    const bool feature = shape.dims() == 4;
    bool before = true;
    for (int i = 0; i < shape.dims(); ++i) {
      const int logical = feature ? kChannelsLast[i] : i;
      if (logical == dim) {
        size = shape[dim];
        before = false;
      } else {
        (before ? outer : inner) *= shape[logical];
      }
    }
  }
};

// Copies `piece` into units [begin, begin + piece.size) of `whole`, or out of them.
inline void CopyPiece(Context& ctx, float* whole, const Blocks& w, int64_t begin, float* piece,
                      const Blocks& p, bool into_whole) {
  float* const at = whole + begin * w.inner;
  const int64_t stride = w.size * w.inner, run = p.size * p.inner;
  if (into_whole)
    CopyBlocks(ctx, piece, run, at, stride, w.outer, run);
  else
    CopyBlocks(ctx, at, stride, piece, run, w.outer, run);
}

}  // namespace singa
