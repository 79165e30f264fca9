// Compiles a plain loop once per instruction set; the loader picks by the CPU it runs on. Without
// it the loops of a build for baseline x86-64 run at four floats an instruction.
//
//   SINGA_CPU_CLONES void AddTo(const float* __restrict x, float* __restrict y, int64_t n) {
//     for (int64_t i = 0; i < n; ++i) y[i] += x[i];
//   }
//
// SINGA_CPU_CLONES: AVX-512, AVX2, SSE2. May fuse a product and a sum (FMA), so its last bits
//   differ from CPU to CPU and from the same formula in another function.
// SINGA_CPU_CLONES_EXACT: AVX2 without FMA, SSE2. The same bits as scalar code, in the rest of a
//   vector loop, on any x86-64: for what must not change when a range is cut elsewhere. With
//   -march=native or on other CPUs that holds under -ffp-contract=off only.
//
// Pitfalls (g++ 12):
// - Only for free functions; not for templates, lambdas or virtual functions.
// - What it calls is compiled for baseline unless it is inlined: small inline functions and
//   functors passed by value are, std::function, libm and other cloned functions are not.
// - The body of an OpenMP pragma becomes a function of its own that is not cloned: put the pragma
//   into the caller (math/parallel_slices.h) and the loop here.
// - Pointers want __restrict, or the loop gets run-time overlap checks or no vectors at all.
// - std::sqrt has vectors only under -fno-math-errno, a float sum only if the code spells out its
//   partial sums. `#pragma GCC optimize` and optimize attributes stop inlining and vectors.
#pragma once

#if defined(SINGA_SANITIZED) || defined(SINGA_NO_CPU_CLONES)
#define SINGA_CPU_CLONES_FITS 0  // the loader runs resolvers before a sanitizer is ready
#elif defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define SINGA_CPU_CLONES_FITS 1
#else
#define SINGA_CPU_CLONES_FITS 0
#endif

#if SINGA_CPU_CLONES_FITS
#define SINGA_CPU_CLONES \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#define SINGA_CPU_CLONES_EXACT __attribute__((target_clones("avx2", "default")))
#else
#define SINGA_CPU_CLONES
#define SINGA_CPU_CLONES_EXACT
#endif
#undef SINGA_CPU_CLONES_FITS
