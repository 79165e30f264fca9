#include "nn/loss/euclidean_loss.h"

#include "math/elementwise/map.cuh"
#include "nn/loss/euclidean_loss_elements.h"

namespace singa {
namespace {

void Distances(Context& ctx, const float* x, const float* t, float* distance, float* absolute,
               int64_t n, int64_t d) {
  ForEachRow(ctx, n, d, DistanceRow{x, t, distance, absolute, d});
}

void Difference(Context& ctx, const float* x, const float* t, float* dx, int64_t n, float scale) {
  MapElements(ctx, n, DifferenceOf{scale}, dx, x, t);
}

[[maybe_unused]] const bool registered =
    RowDistances.Set(Device::kCuda, Distances) && ScaledDifference.Set(Device::kCuda, Difference);

}  // namespace
}  // namespace singa
