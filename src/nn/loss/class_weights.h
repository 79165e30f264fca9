// Kernels of a kSoftmaxLoss with class_weight. Each class j has a weight v[j]. Loss and gradient
// are weighted means, as those of torch.nn.functional.cross_entropy(weight=v), over the rows of a
// time step:
//   loss = sum over i, j of -v[j] q[i][j] log p[i][j], over total = sum over i of v[label[i]]
// If the total is 0, as all labels have weight 0, there is no loss and the gradient is 0; PyTorch's
// is NaN. q are the smoothed targets of nn/loss/softmax_loss.h; rows whose label is `ignored` do
// not count. p, dx: [n, d].
#pragma once

#include "singa/tensor/kernel.h"

namespace singa {

struct ClassWeights {
  const float* of;  // v: [d], in the memory of the device
  float sum;        // of all v
};

// cell[0] += factor times the sum over i, j of -v[j] q[i][j] log max(p[i][j], FLT_MIN). cell[1] +=
// the sum over i of v[label[i]].
inline constinit Kernel<void(const float* p, const int32_t* label, int64_t ignored,
                             ClassWeights weights, double* cell, int64_t n, int64_t d,
                             float smoothing, double factor)>
    WeightedCrossEntropy{"WeightedCrossEntropy"};

// total[t] = the sum of v[label[i]] over the rows of step t. The n rows are those of `steps` steps,
// one step after the other. total: [steps].
inline constinit Kernel<void(const int32_t* label, int64_t ignored, ClassWeights weights,
                             double* total, int64_t n, int64_t steps)>
    SumLabelWeights{"SumLabelWeights"};

// The gradient of scale times the loss, with total[t] for the rows of step t:
//   dx[i][j] = scale / total[t] (p[i][j] sum over k of v[k] q[i][k] - v[j] q[i][j])
// If total[t] is 0, dx is 0.
inline constinit Kernel<void(const float* p, const int32_t* label, int64_t ignored,
                             ClassWeights weights, const double* total, int64_t steps, float* dx,
                             int64_t n, int64_t d, float scale, float smoothing)>
    WeightedSoftmaxLossBackward{"WeightedSoftmaxLossBackward"};

}  // namespace singa
