// HeldGradients holds the gradients of one step in place until all of the process's are there: they
// are encoded together if the step counts, and their norm is bounded first.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "comm/collective/slice_table.h"
#include "singa/tensor/context.h"

namespace singa {

class HeldGradients {
 public:
  // clip_norm: the largest norm of the gradient of this process; 0: no bound.
  HeldGradients(const SliceTable& table, float clip_norm);

  // Holds `sums`, of the slice's nodes, in `step`; all are finite. Threads may hold different
  // slices at the same time.
  void Hold(const Context& ctx, int slice, int64_t step, std::span<float* const> sums);
  bool Has(int slice, int64_t step) const { return slices_[slice].step == step; }
  std::span<float* const> sums(int slice) const { return slices_[slice].sums; }
  // Scales what is held of `step`, so that its norm is at most clip_norm. The norm is that of the
  // sum over the nodes. Returns it as it was before; 0 without clip_norm.
  double Clip(int64_t step);

 private:
  struct Held {
    int64_t size = 0;  // floats of the slice
    int64_t step = -1;
    std::vector<float*> sums;
    double squares = 0;  // of the sum over the nodes
  };

  const float clip_norm_;
  std::vector<Held> slices_;
};

}  // namespace singa
