// Adds the numbers of several workers up in the order of the SumTree, in one thread of a device.
#pragma once

#include "math/reduction/sum_tree.h"
#include "tensor/kernel/host_device.h"

namespace singa {

// Returns the sum of number(worker) over `workers` workers, at least one. Sums of runs whose
// lengths are powers of two, the largest first, wait to be joined.
template <typename Number>
SINGA_DEVICE float SumOfTree(int workers, const Number& number) {
  float sums[SumTree::kMostDepth + 1] = {number(0)};
  int count = 1;
  for (int worker = 1; worker < workers; ++worker) {
    float sum = number(worker);
    for (int before = worker; before & 1; before >>= 1) sum = sums[--count] + sum;
    sums[count++] = sum;
  }
  float sum = sums[--count];
  while (count > 0) sum = sums[--count] + sum;
  return sum;
}

}  // namespace singa
