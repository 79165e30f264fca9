// CUDA kernels of batch normalisation. Memory bounds them: a feature is read once for its moments,
// once to be normalised, and once in each of the gradient's two passes. The rest is small.
#include "nn/neuron/batch_norm_block.h"
#include "nn/neuron/batch_norm_channels.h"
#include "tensor/kernel/launch.cuh"

namespace singa {
namespace {

// Uses few threads if there are few chunks, as in most batches.
void AddChunks(Context& ctx, const BatchChannelSums& sums) {
  if (sums.shape.chunks() > 64)
    ForEachBlock(ctx, sums.shape.c, sums);
  else
    ForEachBlock<32>(ctx, sums.shape.c, sums);
}

void Moments(Context& ctx, const float* x, double* sum, double* squares, float* partial,
             int64_t rows, int64_t c) {
  const BatchBlock shape = BatchBlock::Of(rows, c);
  ForEachBlock<BatchBlock::kThreads>(ctx, shape.blocks(), BatchMomentsChunk{shape, x, partial});
  AddChunks(ctx, {shape, partial, sum, squares, true});
}

void Apply(Context& ctx, const float* x, BatchFunction f, float* y, int64_t rows, int64_t c) {
  if (c % 4 == 0 && AlignedTo<4>(x, y))
    ForEach(ctx, rows * c / 4, BatchApplyElement<4>{x, f, y, c});
  else
    ForEach(ctx, rows * c, BatchApplyElement<1>{x, f, y, c});
}

void GradientSums(Context& ctx, const float* x, BatchFunction f, const float* dy, const float* mean,
                  double* sum, double* product, float* partial, int64_t rows, int64_t c) {
  const BatchBlock shape = BatchBlock::Of(rows, c);
  ForEachBlock<BatchBlock::kThreads>(ctx, shape.blocks(),
                                     BatchGradientChunk{shape, x, f, dy, mean, partial});
  AddChunks(ctx, {shape, partial, sum, product, false});
}

void Gradient(Context& ctx, const float* x, BatchFunction f, const float* dy, const float* of_g,
              const float* of_x, const float* shift, float* dx, int64_t rows, int64_t c) {
  if (c % 4 == 0 && AlignedTo<4>(x, dy, dx))
    ForEach(ctx, rows * c / 4, BatchGradientElement<4>{x, f, dy, of_g, of_x, shift, dx, c});
  else
    ForEach(ctx, rows * c, BatchGradientElement<1>{x, f, dy, of_g, of_x, shift, dx, c});
}

void Statistics(Context& ctx, const double* sum, const double* squares, BatchRows rows,
                BatchSettings settings, const float* gamma, const float* beta, BatchState state,
                float* running_mean, float* running_variance, int64_t c) {
  ForEach(ctx, c,
          BatchStatisticsOf{sum, squares, rows, settings, gamma, beta, state, running_mean,
                            running_variance});
}

void RunningFunction(Context& ctx, const float* running_mean, const float* running_variance,
                     double epsilon, const float* gamma, const float* beta, float* scale,
                     float* shift, int64_t c) {
  ForEach(
      ctx, c,
      BatchRunningFunctionOf{running_mean, running_variance, epsilon, gamma, beta, scale, shift});
}

void OwnMean(Context& ctx, double* sum, double* mean, int64_t rows, int64_t c) {
  ForEach(ctx, c, BatchOwnMeanOf{sum, mean, rows, c});
}

void AboutGroupMean(Context& ctx, const double* sum, const double* mean, double* squares,
                    int64_t rows, int64_t c) {
  ForEach(ctx, c, BatchAboutGroupMeanOf{sum, mean, squares, rows, c});
}

void ParamGradients(Context& ctx, const double* sum, const double* product, const float* inverse,
                    float* dgamma, float of_dgamma, float* dbeta, float of_dbeta, int64_t c) {
  ForEach(ctx, c, BatchParamGradientsOf{sum, product, inverse, dgamma, of_dgamma, dbeta, of_dbeta});
}

void GradientFactors(Context& ctx, const double* sum, const double* product, BatchRows rows,
                     const float* gamma, BatchState state, float* of_g, float* of_x, float* shift,
                     int64_t c) {
  ForEach(ctx, c, BatchGradientFactorsOf{sum, product, rows, gamma, state, of_g, of_x, shift});
}

[[maybe_unused]] const bool registered =
    BatchMoments.Set(Device::kCuda, Moments) && BatchApply.Set(Device::kCuda, Apply) &&
    BatchGradientSums.Set(Device::kCuda, GradientSums) &&
    BatchGradient.Set(Device::kCuda, Gradient) && BatchStatistics.Set(Device::kCuda, Statistics) &&
    BatchRunningFunction.Set(Device::kCuda, RunningFunction) &&
    BatchOwnMean.Set(Device::kCuda, OwnMean) &&
    BatchAboutGroupMean.Set(Device::kCuda, AboutGroupMean) &&
    BatchParamGradients.Set(Device::kCuda, ParamGradients) &&
    BatchGradientFactors.Set(Device::kCuda, GradientFactors);

}  // namespace
}  // namespace singa
