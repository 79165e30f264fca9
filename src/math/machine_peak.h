// Measures the machine's peak speed, with which a kernel's speed is compared.
#pragma once

namespace singa {

// Returns the float32 operations per second of `threads` threads that multiply and add in registers
// alone. A product and a sum count as two. Takes some 10 ms.
double MeasureFmaPeak(int threads);

// Returns the bytes read and written per second by `threads` threads that copy 64 MiB, more than
// their second-level caches hold. Takes some 100 ms and 128 MiB.
double MeasureCopyBandwidth(int threads);

}  // namespace singa
