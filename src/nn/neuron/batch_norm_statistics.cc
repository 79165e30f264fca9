// CPU kernels that compute statistics from the sums of batch normalisation, channel by channel.
#include "nn/neuron/batch_norm_channels.h"

namespace singa {
namespace {

template <typename Of>
void EachChannel(int64_t c, const Of& of) {
  for (int64_t j = 0; j < c; ++j) of(j);
}

void Statistics(Context&, const double* sum, const double* squares, BatchRows rows,
                BatchSettings settings, const float* gamma, const float* beta, BatchState state,
                float* running_mean, float* running_variance, int64_t c) {
  EachChannel(c, BatchStatisticsOf{sum, squares, rows, settings, gamma, beta, state, running_mean,
                                   running_variance});
}

void RunningFunction(Context&, const float* running_mean, const float* running_variance,
                     double epsilon, const float* gamma, const float* beta, float* scale,
                     float* shift, int64_t c) {
  EachChannel(c, BatchRunningFunctionOf{running_mean, running_variance, epsilon, gamma, beta, scale,
                                        shift});
}

void OwnMean(Context&, double* sum, double* mean, int64_t rows, int64_t c) {
  EachChannel(c, BatchOwnMeanOf{sum, mean, rows, c});
}

void AboutGroupMean(Context&, const double* sum, const double* mean, double* squares, int64_t rows,
                    int64_t c) {
  EachChannel(c, BatchAboutGroupMeanOf{sum, mean, squares, rows, c});
}

void ParamGradients(Context&, const double* sum, const double* product, const float* inverse,
                    float* dgamma, float of_dgamma, float* dbeta, float of_dbeta, int64_t c) {
  EachChannel(c, BatchParamGradientsOf{sum, product, inverse, dgamma, of_dgamma, dbeta, of_dbeta});
}

void GradientFactors(Context&, const double* sum, const double* product, BatchRows rows,
                     const float* gamma, BatchState state, float* of_g, float* of_x, float* shift,
                     int64_t c) {
  EachChannel(c, BatchGradientFactorsOf{sum, product, rows, gamma, state, of_g, of_x, shift});
}

[[maybe_unused]] const bool registered = BatchStatistics.Set(Device::kCpu, Statistics) &&
                                         BatchRunningFunction.Set(Device::kCpu, RunningFunction) &&
                                         BatchOwnMean.Set(Device::kCpu, OwnMean) &&
                                         BatchAboutGroupMean.Set(Device::kCpu, AboutGroupMean) &&
                                         BatchParamGradients.Set(Device::kCpu, ParamGradients) &&
                                         BatchGradientFactors.Set(Device::kCpu, GradientFactors);

}  // namespace
}  // namespace singa
