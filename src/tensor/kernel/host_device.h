// Marks functions that both the host compiler and CUDA's compile, so that device code can be tested
// on the host.
#pragma once

#ifdef __CUDACC__
#define SINGA_HD __host__ __device__  // runs on both
#define SINGA_DEVICE __device__  // runs in a device's thread; for the host compiler any function
#else
#define SINGA_HD
#define SINGA_DEVICE
#endif
