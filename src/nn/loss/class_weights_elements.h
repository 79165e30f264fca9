// Device code for the threads of the kernels of nn/loss/class_weights.h.
#pragma once

#include "nn/loss/class_weights.h"
#include "nn/loss/softmax_loss_elements.h"

namespace singa {

// Computes the terms of the weighted cross-entropy and of the sum of weights. There are as many as
// EntropyTerm has.
struct WeightedEntropyTerm {
  EntropyTerm entropy;
  const float* weight;

  SINGA_HD Sums<2> operator()(int64_t i) const {
    if (entropy.smoothing == 0) return Row(i);
    const int64_t r = i / entropy.d, j = i % entropy.d;
    if (entropy.label[r] == entropy.ignored) return {};
    Sums<2> sums = j == entropy.label[r] ? Row(r) : Sums<2>{};
    const double share = entropy.smoothing / static_cast<double>(entropy.d);
    sums[0] -= share * weight[j] * EntropyTerm::Log(entropy.p[i]);
    return sums;
  }

  SINGA_HD Sums<2> Row(int64_t r) const {
    Sums<2> sums = entropy.Row(r);
    if (entropy.label[r] == entropy.ignored) return sums;
    for (double& sum : sums) sum *= weight[entropy.label[r]];
    return sums;
  }
};

// Adds up the weights of the labels of one step, by a block.
struct LabelWeightsOfStep {
  const int32_t* label;
  int64_t ignored;
  const float* weight;
  double* total;
  int64_t rows;  // of a step

  template <typename B>
  SINGA_DEVICE void operator()(const B& block, int64_t t) const {
    double sum = 0;
    for (int64_t r = t * rows + block.thread(); r < (t + 1) * rows; r += block.threads())
      if (label[r] != ignored) sum += weight[label[r]];
    sum = block.Sum(sum);
    if (block.thread() == 0) total[t] = sum;
  }
};

// Computes elements of dx. On the device a thread computes element i; the host goes row by row.
struct WeightedSoftmaxLossGradient {
  // The numbers that the elements of a row share. A row that does not count has the factor 0.
  struct Row {
    double factor;  // scale over the sum of weights, which may exceed the range of float
    float own, mean;
    int64_t label;
  };

  const float* p;
  const int32_t* label;
  int64_t ignored;
  ClassWeights weights;
  const double* total;
  int64_t rows;  // of a step
  float* dx;
  int64_t d;
  float scale, smoothing;

  SINGA_HD float uniform() const { return smoothing / static_cast<float>(d); }

  SINGA_HD Row RowOf(int64_t r) const {
    const double all = total[r / rows];
    if (label[r] == ignored || all == 0) return {};
    const float own = (1 - smoothing) * weights.of[label[r]];
    return {scale / all, own, own + uniform() * weights.sum, label[r]};
  }

  SINGA_HD void Set(const Row& row, int64_t r, int64_t j) const {
    const int64_t i = r * d + j;
    const float target = uniform() * weights.of[j] + (j == row.label ? row.own : 0);
    dx[i] = row.factor == 0 ? 0 : static_cast<float>(row.factor * (p[i] * row.mean - target));
  }

  SINGA_HD void operator()(int64_t i) const {
    const int64_t r = i / d;
    Set(RowOf(r), r, i - r * d);
  }
};

}  // namespace singa
