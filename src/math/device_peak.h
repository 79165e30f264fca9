// Measures the peak speed of a GPU, with which a kernel's speed is compared.
#pragma once

#include "singa/tensor/context.h"

namespace singa {

// Both take some 50 ms, and use the stream of `ctx`. Both throw DeviceError. REQUIRES: ctx.stream
// is not null, and none of its work is being captured.

// Returns the operations per second of a product of two large matrices of random numbers in the
// precision of `ctx`. A product and a sum count as two. Takes 192 MiB of the GPU's memory.
double MeasureProductPeak(Context& ctx);

// Returns the bytes read and written per second by copies of 256 MiB within the GPU's memory, more
// than its caches hold.
double MeasureDeviceCopyBandwidth(Context& ctx);

}  // namespace singa
