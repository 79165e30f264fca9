#include "singa/tensor/context.h"
#include "singa/tensor/memory.h"
#include "singa/tensor/stream.h"

namespace singa {

void GroupSum::SumInOrder(Context& ctx, double* values, int64_t n) {
  if (!ctx.stream) return Sum({values, static_cast<size_t>(n)});
  if (seen_.empty() || seen_.size() < n) {
    ctx.stream->Wait();  // a copy to the old memory may be under way
    seen_.SetShape({n}, DType::kF64);
    seen_.Own(ctx.stream->gpu().AllocatePinned(seen_.bytes()));
  }
  double* const host = seen_.as<double>();
  const int64_t bytes = n * static_cast<int64_t>(sizeof(double));
  ctx.stream->Copy(values, host, bytes);
  ctx.stream->Wait();
  Sum({host, static_cast<size_t>(n)});
  ctx.stream->Copy(host, values, bytes);
}

}  // namespace singa
