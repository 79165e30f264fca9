#include "nn/loss/euclidean_loss.h"

#include "math/elementwise/map.cuh"
#include "math/reduction/sum_block.cuh"
#include "nn/loss/euclidean_loss_elements.h"

namespace singa {
namespace {

void Distance(Context& ctx, const float* x, const float* t, float* distance, int64_t n, int64_t d) {
  ForEachRow(ctx, n, d, DistanceRow{x, t, distance, d});
}

void Absolute(Context& ctx, const float* x, const float* t, double* cell, int64_t n) {
  SumTerms<2>(ctx, n, AbsoluteTerm{x, t}, AddToCell{cell, 1});
}

void Difference(Context& ctx, const float* x, const float* t, float* dx, int64_t n, float scale) {
  MapElements(ctx, n, DifferenceOf{scale}, dx, x, t);
}

[[maybe_unused]] const bool registered = SquaredDistance.Set(Device::kCuda, Distance) &&
                                         SumAbsoluteDifference.Set(Device::kCuda, Absolute) &&
                                         ScaledDifference.Set(Device::kCuda, Difference);

}  // namespace
}  // namespace singa
