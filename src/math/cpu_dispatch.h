// These macros compile a plain loop once per instruction set; the loader picks one for the CPU.
// Without them the loops of a build for baseline x86-64 do four floats an instruction.
//
//   SINGA_CPU_CLONES void AddTo(const float* __restrict x, float* __restrict y, int64_t n) {
//     for (int64_t i = 0; i < n; ++i) y[i] += x[i];
//   }
//
// SINGA_CPU_CLONES: AVX-512, AVX2, SSE2. The compiler may fuse a product and a sum (FMA), so the
//   last bits differ from CPU to CPU and from the same formula in another function.
// SINGA_CPU_CLONES_EXACT: AVX2 without FMA, SSE2. The bits are those of scalar code, also in the
//   rest of a vector loop, on any x86-64. It is for results that must not change with the cuts of a
//   range. Other CPUs have one version of each loop, under -ffp-contract=off (CMakeLists.txt). With
//   -march=native x86-64 needs this option, too.
//
// Pitfalls (g++ 12):
// - The macros work for free functions only; not for templates, lambdas or virtual functions.
// - A called function is compiled for baseline unless it is inlined. Small inline functions and
//   functors passed by value are inlined; std::function, libm and other cloned functions are not.
// - The body of an OpenMP pragma becomes a function of its own that is not cloned: put the pragma
//   into the caller (math/parallel_slices.h) and the loop here.
// - Pointers need __restrict, or the loop gets run-time overlap checks or no vectors at all.
// - A limit on a number (x > most ? most : x) may make the compiler evaluate what follows twice,
//   the second time for the limit itself. Denormal numbers are slow, so choose between results
//   instead where that happens (math/elementwise/vector_math.h).
// - std::sqrt has vectors only under -fno-math-errno. With g++, a choice between numbers (?:) has
//   vectors in SSE2 and AVX2 only under -fno-trapping-math; this is clang's default. A float sum
//   has vectors only if the code spells out its partial sums. `#pragma GCC optimize` and optimize
//   attributes stop inlining and vectors.
#pragma once

#if defined(SINGA_SANITIZED)
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
