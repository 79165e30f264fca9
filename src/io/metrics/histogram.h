// HistogramOf counts values in TensorBoard's usual buckets, whose limits are a factor of 1.1 apart.
#pragma once

#include <span>

#include "singa/proto/tensorboard.pb.h"

namespace singa {

// Values that are not finite are left out.
tensorboard::Histogram HistogramOf(std::span<const float> values);

}  // namespace singa
