// HeldGradients holds the gradients of one step in place until all of the process's are there: they
// are encoded or applied together if the step counts, and their norm is bounded first.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "cluster/protocol/topology.h"
#include "comm/collective/slice_table.h"
#include "singa/tensor/context.h"

namespace singa {

// Returns the number of the group's processes that contribute to the gradient of a slice.
int ContributingProcesses(const Topology& topology, int group, const SliceTable& table);

class HeldGradients {
 public:
  static constexpr float kUnbounded = std::numeric_limits<float>::infinity();

  // clip_norm: bounds the norm of this process's gradient by clip_norm / sqrt(processes).
  // Independent gradients of that norm add up to one of norm clip_norm. Source: Lin et al., "Deep
  // Gradient Compression" (2018), section 3.2. kUnbounded: the norm is only computed; 0: neither.
  HeldGradients(const SliceTable& table, float clip_norm, int processes);

  // Holds `sums`, of the slice's nodes, in `step`; all are finite. Threads may hold different
  // slices at the same time.
  void Hold(const Context& ctx, int slice, int64_t step, std::span<float* const> sums);
  bool Has(int slice, int64_t step) const { return slices_[slice].step == step; }
  std::span<float* const> sums(int slice) const { return slices_[slice].sums; }
  // Scales what is held of `step`, so that its norm is within the bound. The norm is that of the
  // sum over the nodes. Worker `worker` of `workers` scales every `workers`-th slice, from slice
  // `worker` on; all workers may do so at the same time. Returns sqrt(processes) times the norm
  // before, an estimate of the norm of the group's gradient; 0 without clip_norm.
  double Clip(int64_t step, int worker = 0, int workers = 1);

 private:
  struct Held {
    int64_t size = 0;  // floats of the slice
    int64_t step = -1;
    std::vector<float*> sums;
    double squares = 0;  // of the sum over the nodes
  };

  const double root_;  // of the number of processes
  const float most_;   // the bound; 0: none
  std::vector<Held> slices_;
};

}  // namespace singa
