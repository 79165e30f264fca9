// Functions that the host compiler and CUDA's both read, so that what a device computes can be
// tested on the host.
#pragma once

#ifdef __CUDACC__
#define SINGA_HD __host__ __device__  // runs on either
#define SINGA_DEVICE __device__       // of a device's thread; for the host compiler any function
#else
#define SINGA_HD
#define SINGA_DEVICE
#endif
