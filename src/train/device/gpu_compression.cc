#include "train/device/gpu_compression.h"

#include "train/device/half_sums.h"
#include "train/device/largest_gradients.h"
#include "train/device/thin_gradients.h"
#include "train/device/value_means.h"

namespace singa {
namespace {

constexpr GpuCompression kWhole = {};
// DeviceGradients adds them up.
constexpr GpuCompression kHalves = {.message_bytes = [](const CompressedParams& params, int) {
  return HalfSums::Bytes(params.trained.table.elements(), params.trained.table.size() + 1);
}};

}  // namespace

int64_t GpuCompression::StateFloats(const CompressedParams& params) const {
  int64_t floats = 0;
  if (parts)
    for (const StatePart& part : parts(params)) floats += part.shape.size();
  return floats;
}

const GpuCompression& CompressionOf(const AllReduceProto& conf) {
  switch (conf.compression()) {
    case AllReduceProto::kTopK:
    case AllReduceProto::kThreshold:
      return LargestGradients::kCompression;
    case AllReduceProto::kPowerSGD:
      return ThinGradients::kCompression;
    case AllReduceProto::kPartial:
      return ValueMeans::kCompression;
    case AllReduceProto::kFp16:
      return kHalves;
    case AllReduceProto::kNone:
      return kWhole;
  }
  return kWhole;
}

}  // namespace singa
