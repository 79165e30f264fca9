// Gemm by OpenBLAS, in builds without oneDNN. OpenBLAS itself uses one thread, as its pool of
// threads would serve one worker at a time. A large product is cut into parts for the context's
// threads. The cuts, and so the bits, depend only on the shape and on the number of threads.
#include <cblas.h>
#include <omp.h>
#include <sys/mman.h>

#include <algorithm>
#include <limits>

#include "base/system/system_limits.h"
#include "math/gemm/gemm_kernel.h"
#include "singa/base/error.h"

// Ends OpenBLAS's threads, as OpenBLAS does before a fork. Builds of it without threads lack this.
extern "C" int blas_thread_shutdown_() __attribute__((weak));

namespace singa {
namespace {

struct Product {
  int64_t m, n, k;
  float alpha;
  GemmOperand a, b;
  float beta;
  float* c;
  int64_t ldc;
};

bool FitsBlasInt(const Product& p) {
  return std::max({p.m, p.n, p.k, p.a.ld, p.b.ld, p.ldc}) <= std::numeric_limits<blasint>::max();
}

void Sgemm(const Product& p) {
  const auto form = [](const GemmOperand& x) { return x.transposed ? CblasTrans : CblasNoTrans; };
  const auto size = [](int64_t n) { return static_cast<blasint>(n); };
  cblas_sgemm(CblasRowMajor, form(p.a), form(p.b), size(p.m), size(p.n), size(p.k), p.alpha,
              p.a.data, size(p.a.ld), p.b.data, size(p.b.ld), p.beta, p.c, size(p.ldc));
}

constexpr int64_t kUnit = 16;              // rows or columns; a whole number of OpenBLAS's tiles
constexpr double kPartProducts = 1 << 18;  // with fewer, a thread costs more than it saves

// Returns the number of parts, each for a thread.
int PartsOf(const Context& ctx, const Product& p) {
  if (ctx.threads <= 1 || omp_in_parallel()) return 1;
  const double products =
      static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
  const double useful = std::min(products / kPartProducts, static_cast<double>(ctx.threads));
  const double most = static_cast<double>(std::max(p.m, p.n) / kUnit);
  return std::max(1, static_cast<int>(std::min(useful, most)));
}

// Cuts the longer side of c.
Product PartOf(const Product& whole, int64_t part, int64_t parts) {
  Product p = whole;
  const bool rows = whole.m >= whole.n;
  int64_t& size = rows ? p.m : p.n;
  const int64_t units = (size + kUnit - 1) / kUnit;
  const int64_t begin = units * part / parts * kUnit;
  size = std::min(size, units * (part + 1) / parts * kUnit) - begin;
  if (rows)
    p.a.data += begin * (p.a.transposed ? 1 : p.a.ld);
  else
    p.b.data += begin * (p.b.transposed ? p.b.ld : 1);
  p.c += begin * (rows ? p.ldc : 1);
  return p;
}

// OpenBLAS maps a buffer for each thread that computes. If the system refuses the buffer, OpenBLAS
// tries again without end. Throws DeviceError if `n` buffers cannot be mapped.
void RequireBuffers(int n) {
  constexpr size_t kBufferBytes = size_t{128} << 20;  // of addresses; few pages are used
  thread_local int known = 0;
  if (n <= known) return;
  const size_t bytes = static_cast<size_t>(n) * kBufferBytes;
  void* const place = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED)
    throw DeviceError(StrCat("OpenBLAS: a product of matrices: ", OutOfMemoryText()));
  munmap(place, bytes);
  known = n;
}

void OpenblasGemm(Context& ctx, int64_t m, int64_t n, int64_t k, float alpha, GemmOperand a,
                  GemmOperand b, float beta, float* c, int64_t ldc) {
  const Product product = {m, n, k, alpha, a, b, beta, c, ldc};
  if (IsHalf(ctx.precision) || !FitsBlasInt(product)) {  // OpenBLAS rounds no factors
    Context plain = ctx;
    plain.plain = true;
    return GemmKernel(plain, m, n, k, alpha, a, b, beta, c, ldc);
  }
  const int parts = PartsOf(ctx, product);
  RequireBuffers(parts);
  if (parts == 1) return Sgemm(product);
#pragma omp parallel for schedule(static) num_threads(parts)
  for (int part = 0; part < parts; ++part) Sgemm(PartOf(product, part, parts));
}

// The loader starts OpenBLAS's threads before main. They would take signals that are for the
// thread of driver/signals/interrupt.h, and they are not needed.
bool WithoutThreads() {
  openblas_set_num_threads(1);
  if (blas_thread_shutdown_) blas_thread_shutdown_();
  return true;
}

[[maybe_unused]] const bool registered =
    WithoutThreads() && GemmKernel.Set(Device::kCpu, OpenblasGemm, Rank::kVendor);

}  // namespace
}  // namespace singa
