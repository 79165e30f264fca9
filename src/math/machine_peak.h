// What the machine can do at most, measured: what a kernel's speed is held against.
#pragma once

namespace singa {

// Float32 operations per second, a product and a sum being two, of `threads` threads that multiply
// and add in registers alone. Takes some 10 ms.
double MeasureFmaPeak(int threads);

// Bytes read and written per second by `threads` threads that copy 64 MiB, more than their
// second-level caches hold. Takes some 100 ms and 128 MiB.
double MeasureCopyBandwidth(int threads);

}  // namespace singa
