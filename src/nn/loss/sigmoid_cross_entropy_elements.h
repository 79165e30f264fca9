// Device code for the threads of the kernels of nn/loss/sigmoid_cross_entropy.h.
#pragma once

#include <cmath>

#include "math/reduction/sum_block.h"
#include "nn/loss/sigmoid_cross_entropy.h"

namespace singa {

// Returns the loss of one unit.
SINGA_HD inline float SigmoidLoss(float x, float t, float weight) {
  const float negative = x < 0 ? -x : 0;
  const float log_term = negative + std::log1p(std::exp(-std::abs(x)));  // log(1 + exp(-x))
  return (1 - t) * x + (1 + (weight - 1) * t) * log_term;
}

// Computes what element i adds to the cells: loss, units on the right side, 2 tp, 2 tp + fp + fn.
struct SigmoidTerm {
  const float* x;
  const float* t;
  PositiveWeights weights;
  int64_t d;

  SINGA_HD Sums<4> operator()(int64_t i) const {
    const bool positive = x[i] > 0, wanted = t[i] > 0.5f;
    const double loss = SigmoidLoss(x[i], t[i], weights.Of(i % d));
    return {loss, positive == wanted ? 1. : 0., positive && wanted ? 2. : 0.,
            (positive ? 1. : 0.) + (wanted ? 1. : 0.)};
  }
};

// Adds the sums of n elements to the cells.
struct AddToSigmoidCells {
  SigmoidCells cells;
  double n;

  SINGA_HD void operator()(int64_t, const Sums<4>& sums) const {
    cells.loss[0] += sums[0];
    cells.loss[1] += n;
    cells.accuracy[0] += sums[1];
    cells.accuracy[1] += n;
    cells.f1[0] += sums[2];
    cells.f1[1] += sums[3];
  }
};

// Computes element i of dx.
struct SigmoidLossGradient {
  const float* y;
  const float* t;
  PositiveWeights weights;
  float* dx;
  int64_t d;
  float scale;

  SINGA_HD void operator()(int64_t i) const {
    const float p = weights.Of(i % d);
    dx[i] = scale * (y[i] * (1 + (p - 1) * t[i]) - p * t[i]);
  }
};

}  // namespace singa
