// Equals torch.optim.swa_utils.AveragedModel with get_ema_multi_avg_fn(ema_decay), whose
// update_parameters follows each step of the optimizer.
#include "train/updater/averaged_values.h"

#include "math/cpu_dispatch.h"

namespace singa {
namespace {

SINGA_CPU_CLONES_EXACT void AverageSlice(AverageElement element, float* w, const float*,
                                         float* __restrict average, int64_t n) {
  for (int64_t i = 0; i < n; ++i) element(0, w + i, average + i);
}

[[maybe_unused]] const bool registered =
    AverageUpdate.Set(Device::kCpu, UpdateOnHost<AverageElement, 1, AverageSlice>);

}  // namespace

// The first average is the value.
AverageElement AveragedValues::ElementOf(const UpdateStep& step) const {
  return {step.count == 1 ? 1.f : static_cast<float>(1 - decay_)};
}

}  // namespace singa
