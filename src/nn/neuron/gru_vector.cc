// The GRU's step as vector code over the context's threads.
#include "math/cpu_dispatch.h"
#include "nn/neuron/gru.h"

namespace singa {
namespace {

SINGA_CPU_CLONES void Rows(const CellStep& step, int64_t begin, int64_t end) {
  for (int64_t r = begin; r < end; ++r)
#pragma omp simd
    for (int64_t j = 0; j < step.hidden; ++j) GruUnit<VectorMath>(step, r, j);
}

SINGA_CPU_CLONES void GradientRows(const CellGradient& step, int64_t begin, int64_t end) {
  for (int64_t r = begin; r < end; ++r)
#pragma omp simd
    for (int64_t j = 0; j < step.hidden; ++j) GruUnitGradient<VectorMath>(step, r, j);
}

void Step(Context& ctx, const CellStep& step) {
  ParallelRows(ctx, step.rows, 4 * step.hidden,
               [&step](int64_t begin, int64_t end) { Rows(step, begin, end); });
}

void StepGradient(Context& ctx, const CellGradient& step) {
  ParallelRows(ctx, step.rows, 4 * step.hidden,
               [&step](int64_t begin, int64_t end) { GradientRows(step, begin, end); });
}

[[maybe_unused]] const bool registered =
    GruStep.Set(Device::kCpu, Step, Rank::kVector) &&
    GruStepGradient.Set(Device::kCpu, StepGradient, Rank::kVector);

}  // namespace
}  // namespace singa
