// StepNorm computes the norm of a worker group's mean gradient, whose slices lie on several
// servers. Each server sends the sums of squares of its slices to the others, and all add them up
// in the order of the slices.
#pragma once

#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "cluster/protocol/slice_set.h"

namespace singa {

class StepNorm {
 public:
  // `slices`: those of each server of the group.
  explicit StepNorm(std::vector<SliceSet> slices)
      : slices_(std::move(slices)), of_(slices_.size()) {
    for (const SliceSet& of_server : slices_) count_ += of_server.size();
  }

  int slices(int server) const { return slices_[server].size(); }
  // Adds the squares of a server's slices, from its `first` on. Returns false if these are not the
  // next ones.
  bool Add(int server, int64_t step, int64_t first, std::span<const double> squares) {
    Squares& of = of_[server];
    const auto have = static_cast<int64_t>(of.sum.size());
    const auto more = static_cast<int64_t>(squares.size());
    const bool next = have == 0 ? step > of.step : step == of.step;
    if (!next || first != have || more == 0 || more > slices(server) - have) return false;
    of.step = step;
    of.sum.insert(of.sum.end(), squares.begin(), squares.end());
    return true;
  }
  // Returns the sum over all slices in order, and forgets the squares; none if squares of `step`
  // are missing. The sum is NaN if a slice's gradient is not finite.
  std::optional<double> Take(int64_t step) {
    for (size_t s = 0; s < of_.size(); ++s)
      if (!Whole(s, step)) return std::nullopt;
    std::vector<double> in_order(count_);
    for (size_t s = 0; s < of_.size(); ++s) {
      for (size_t i = 0; i < of_[s].sum.size(); ++i)
        in_order[slices_[s][static_cast<int>(i)]] = of_[s].sum[i];
      of_[s].sum.clear();
    }
    return std::accumulate(in_order.begin(), in_order.end(), 0.0);
  }
  // Returns the first server with missing squares of `step`; -1: none.
  int Missing(int64_t step) const {
    for (size_t s = 0; s < of_.size(); ++s)
      if (!Whole(s, step)) return static_cast<int>(s);
    return -1;
  }

 private:
  struct Squares {
    int64_t step = -1;
    std::vector<double> sum;
  };
  bool Whole(size_t server, int64_t step) const {
    const Squares& of = of_[server];
    const int count = slices_[server].size();
    return count == 0 || (of.step == step && static_cast<int>(of.sum.size()) == count);
  }

  std::vector<SliceSet> slices_;
  std::vector<Squares> of_;
  int count_ = 0;  // slices of all servers
};

}  // namespace singa
