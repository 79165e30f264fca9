// GradientSums adds up the gradients of a group's GPUs among them, in pieces. In a captured step, a
// piece's sum begins when the backward pass has made all of the piece, in its own stream beside the
// rest of the pass. In other steps sums begin at the end, each when the one before is done, since a
// first call may wait for the work of all GPUs. The floats travel as they are, or as HalfSums says.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "comm/collective/gpu_collective.h"
#include "singa/tensor/context.h"
#include "singa/tensor/stream.h"
#include "train/device/half_sums.h"
#include "train/device/own_findings.h"

namespace singa {

class GradientSums {
 public:
  // The places of the gradients in their tensor, and the order in which a step makes them. The
  // pieces, and so the bits of the sums, follow from the layout alone.
  struct Layout {
    std::vector<int64_t> begins;  // by gradient, rising; floats before the first are made last
    std::vector<int> order;       // gradients that a step makes; others are never made
    int64_t at_once;              // least floats of a piece, except the last; >= 1
  };

  // Makes the sums of one member of `group`, in `stream`, which is for transfers alone. All that it
  // is given must outlive it. values: [n]. halves: adds up in `stream` by float16; null: NCCL adds
  // floats up. own: inspects, in a captured step, what a piece has before its sum; may be null.
  GradientSums(GpuGroup* group, const GpuMember& member, Context* ctx, Stream* stream,
               Tensor* values, const Layout& layout, std::unique_ptr<HalfSums> halves = nullptr,
               OwnFindings* own = nullptr);

  // Notes, while a step is captured, that the next gradient of the layout's order is complete.
  void Ready();
  // Ends the sums, when all of the tensor is complete. Later work of the context comes after the
  // sums.
  void Finish(bool captured);

  int64_t pieces() const { return static_cast<int64_t>(pieces_.size()); }

 private:
  struct Piece {
    int64_t begin, end;
    size_t made;  // gradients made when the piece is complete
  };
  void Cut(const Layout& layout);
  void BeginNext(bool captured);

  Context* const ctx_;
  Tensor* const values_;
  Stream* const stream_;
  GpuCollective collective_;  // in stream_
  const std::unique_ptr<HalfSums> halves_;
  OwnFindings* const own_;
  std::vector<Piece> pieces_;  // in the order of their sums
  size_t made_ = 0, begun_ = 0;
};

}  // namespace singa
