#include "math/reduction/sum.h"

namespace singa {
namespace {

void Add(Context&, const float* x, double* cell, int64_t n, double weight) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += x[i];
  cell[0] += sum;
  cell[1] += weight;
}

[[maybe_unused]] const bool registered = AddSum.Set(Device::kCpu, Add);

}  // namespace
}  // namespace singa
