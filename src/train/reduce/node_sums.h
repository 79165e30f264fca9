// NodeSums: adds numbers up over all workers of a group that is in several processes.
#pragma once

#include <span>

namespace singa {

class NodeSums {
 public:
  virtual ~NodeSums() = default;
  // sum[n]: the sum over the group. `parts`: the sums of the group's SumTree nodes that this
  // process's workers are, in order, n numbers each. One thread of each process calls it. Throws
  // Error where another process is gone.
  virtual void Sum(std::span<const double> parts, std::span<double> sum) = 0;
};

}  // namespace singa
