// Kernels of kSigmoidCrossEntropyLoss. For a score x, its target t in [0, 1] and the weight p of
// positive targets:
//   loss = (1 - t) x + (1 + (p - 1) t) log(1 + exp(-x))
//   its derivative with s = 1 / (1 + exp(-x)):  s (1 + (p - 1) t) - p t
// Equals torch.nn.functional.binary_cross_entropy_with_logits.
#pragma once

#include "singa/tensor/kernel.h"
#include "tensor/kernel/host_device.h"

namespace singa {

// Weights of positive targets, in the memory of the device: one for each unit, or one for all.
struct PositiveWeights {
  const float* weight;
  int64_t count;  // 1, or the number of units

  // Returns the weight of unit j.
  SINGA_HD float Of(int64_t j) const { return weight[count == 1 ? 0 : j]; }
};

// Cells of three metrics (Metric::cell). Each [2].
struct SigmoidCells {
  double* loss;      // += sum of losses, number of units
  double* accuracy;  // += units on the right side, number of units
  double* f1;        // += 2 tp, 2 tp + fp + fn
};

// Adds to the cells. A unit is positive if its score is > 0, its target if it is > 0.5.
// x, t: [n, d].
inline constinit Kernel<void(const float* x, const float* t, PositiveWeights weights,
                             SigmoidCells cells, int64_t n, int64_t d)>
    SigmoidCrossEntropy{"SigmoidCrossEntropy"};

// dx = scale times the derivative; y = sigmoid(x). y, t, dx: [n, d]; dx may be y.
inline constinit Kernel<void(const float* y, const float* t, PositiveWeights weights, float* dx,
                             int64_t n, int64_t d, float scale)>
    SigmoidCrossEntropyBackward{"SigmoidCrossEntropyBackward"};

}  // namespace singa
