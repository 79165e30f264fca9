// GradientSums: the gradients of a group's GPUs added up among them, in pieces. In a step that is
// captured a piece's sum begins when the backward pass has made all of it, in a stream of its own
// beside the rest of that pass; in others they begin at the end, each when the one before is done:
// what a first call allocates or loads may wait for the work of all GPUs.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "comm/collective/gpu_collective.h"
#include "singa/tensor/context.h"
#include "singa/tensor/stream.h"

namespace singa {

class GradientSums {
 public:
  // How gradients lie in their tensor, and in which order a step makes them. The pieces follow from
  // it alone, and with them the bits of the sums.
  struct Layout {
    std::vector<int64_t> begins;  // of each gradient, rising; what is before the first is made last
    std::vector<int> order;       // of those that a step makes; others are never made
    int64_t at_once;              // floats of a piece at least, but for the last; >= 1
  };

  // For one member of `group`. `group`, `ctx` and `values` outlive it.
  // values: [n].
  GradientSums(GpuGroup* group, const GpuMember& member, Context* ctx, Tensor* values,
               const Layout& layout);

  // While a step is captured: the next gradient of the layout's order is whole.
  void Ready();
  // All of the tensor is. What the context does next comes after the sums.
  void Finish(bool captured);

  int64_t pieces() const { return static_cast<int64_t>(pieces_.size()); }

 private:
  struct Piece {
    int64_t begin, end;
    size_t made;  // gradients, when it is whole
  };
  void Cut(const Layout& layout);
  Collective::Operation Begin(const Piece& piece);

  Context* const ctx_;
  Tensor* const values_;
  const std::unique_ptr<Stream> stream_;
  GpuCollective collective_;   // in stream_
  std::vector<Piece> pieces_;  // in the order of their sums
  size_t made_ = 0, begun_ = 0;
};

}  // namespace singa
