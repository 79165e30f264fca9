// PiecePlan decides which gradients a worker hands on in pieces while they are computed, how they
// are cut, and how much memory pieces need.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "comm/collective/slice_table.h"
#include "math/reduction/sum_tree.h"
#include "singa/nn/net.h"

namespace singa {

// Slices [first, last) of one param, cut into `count` runs, the pieces.
struct GradientPieces {
  int first, last;
  int64_t count;
  // Returns [first, second), the slices of piece i.
  std::pair<int, int> SlicesOf(int64_t i) const {
    const int64_t n = last - first;
    return {first + static_cast<int>(n * i / count), first + static_cast<int>(n * (i + 1) / count)};
  }
};

class PiecePlan {
 public:
  // Makes the plan of a worker of `threads` threads in a group of `group` workers, of which `here`
  // share memory. `spans_processes`: these are in several processes.
  PiecePlan(SumNode here, int group, int threads, bool spans_processes);

  // Returns whether the gradient of `param` is handed on in pieces, if `node` can do so and it
  // pays. The answer is the same in all topologies, since pieces may be rounded differently from
  // whole gradients.
  bool Wants(const NetNode& node, const Param& param) const;
  // Returns the bytes of memory that the pieces of this worker need. `common`: all workers compute
  // some of them. `own`: it alone computes some, those of params that the workers divide.
  int64_t bytes(bool common, bool own) const;
  // Returns the floats of memory that the worker itself needs. Pieces of several processes lie in
  // memory that they share.
  int64_t room_floats(bool own) const;

  // Cuts a param's gradient into pieces that fit in a cache, equally many for each of the group's
  // threads. The cut is the same in all topologies, since the bits of a product may depend on how
  // its rows are cut. `threads`: of each worker.
  static GradientPieces Cut(const SliceTable& table, int param, int group, int64_t threads);
  // Cuts the rows of a param that `worker` alone has.
  static GradientPieces CutOwn(const SliceTable& table, int param, int worker, int64_t threads);

 private:
  const int group_;
  const int64_t threads_;
  const bool spans_processes_;
  const int slots_;  // pieces that one thread needs memory for
};

}  // namespace singa
