// Code for one channel j, in float64, of the kernels of batch_norm.h that take sums.
#pragma once

#include <cmath>

#include "nn/neuron/batch_norm.h"
#include "tensor/kernel/host_device.h"

namespace singa {

SINGA_HD inline void SetBatchFunction(double mean, double inverse, float gamma, float beta,
                                      float* scale, float* shift) {
  const double factor = gamma * inverse;
  *scale = static_cast<float>(factor);
  *shift = static_cast<float>(beta - mean * factor);
}

struct BatchStatisticsOf {
  const double *sum, *squares;
  BatchRows rows;
  BatchSettings settings;
  const float *gamma, *beta;
  BatchState state;
  float *running_mean, *running_variance;

  SINGA_HD void operator()(int64_t j) const {
    const double n = rows.count();
    state.mean[j] = static_cast<float>(sum[j] / n);
    state.inverse[j] = static_cast<float>(1 / std::sqrt(squares[j] / n + settings.epsilon));
    SetBatchFunction(state.mean[j], state.inverse[j], gamma[j], beta[j], &state.scale[j],
                     &state.shift[j]);
    if (!std::isfinite(squares[j])) return;  // a NaN would never leave the running statistics
    Move(&running_mean[j], state.mean[j]);
    Move(&running_variance[j], squares[j] / (n - 1 < 1 ? 1 : n - 1));
  }

  SINGA_HD void Move(float* running, double value) const {
    *running = static_cast<float>(settings.momentum * *running + (1 - settings.momentum) * value);
  }
};

struct BatchRunningFunctionOf {
  const float *running_mean, *running_variance;
  double epsilon;
  const float *gamma, *beta;
  float *scale, *shift;

  SINGA_HD void operator()(int64_t j) const {
    SetBatchFunction(running_mean[j], 1 / std::sqrt(running_variance[j] + epsilon), gamma[j],
                     beta[j], &scale[j], &shift[j]);
  }
};

struct BatchOwnMeanOf {
  double *sum, *mean;
  int64_t rows, c;

  SINGA_HD void operator()(int64_t j) const {
    const auto n = static_cast<double>(rows);
    mean[j] = sum[j] / n;
    if (j == 0) sum[c] = n;
  }
};

struct BatchAboutGroupMeanOf {
  const double *sum, *mean;
  double* squares;
  int64_t rows, c;

  SINGA_HD void operator()(int64_t j) const {
    const double from_mean = mean[j] - sum[j] / sum[c];
    squares[j] += static_cast<double>(rows) * from_mean * from_mean;
  }
};

struct BatchParamGradientsOf {
  const double *sum, *product;
  const float* inverse;
  float* dgamma;
  float of_dgamma;
  float* dbeta;
  float of_dbeta;

  SINGA_HD void operator()(int64_t j) const {
    if (dgamma) Add(product[j] * double{inverse[j]}, of_dgamma, &dgamma[j]);
    if (dbeta) Add(sum[j], of_dbeta, &dbeta[j]);
  }

  SINGA_HD static void Add(double value, float factor, float* gradient) {
    *gradient = static_cast<float>(factor == 0 ? value : *gradient + value);
  }
};

struct BatchGradientFactorsOf {
  const double *sum, *product;
  BatchRows rows;
  const float* gamma;
  BatchState state;
  float *of_g, *of_x, *shift;

  SINGA_HD void operator()(int64_t j) const {
    const double inverse = state.inverse[j], factor = gamma[j] * inverse, n = rows.count();
    const double slope = factor * inverse * inverse * product[j] / n;
    of_g[j] = static_cast<float>(factor);
    of_x[j] = static_cast<float>(-slope);
    shift[j] = static_cast<float>(slope * state.mean[j] - factor * sum[j] / n);
  }
};

}  // namespace singa
