// Vector kernels for the steps of the recurrent cells, over the context's threads.
#include "math/cpu_dispatch.h"
#include "math/parallel_slices.h"
#include "nn/neuron/gru.h"
#include "nn/neuron/lstm.h"
#include "nn/neuron/rnn.h"

namespace singa {
namespace {

// Runs work(first row, end) over the context's threads. `width` is the work of a row, in numbers.
template <typename Step>
void ParallelRows(const Context& ctx, const Step& step, int64_t width,
                  void (*work)(const Step& step, int64_t begin, int64_t end)) {
  ParallelSlices(ctx, step.rows * width, width, [&step, width, work](int64_t begin, int64_t end) {
    work(step, begin / width, end / width);
  });
}

// Defines the kernels of a cell with the formulas <name>Unit and <name>UnitGradient. It is a macro,
// as clones for instruction sets cannot be templates.
#define SINGA_VECTOR_CELL(name, blocks)                                                            \
  SINGA_CPU_CLONES void name##Rows(const CellStep& step, int64_t begin, int64_t end) {             \
    for (int64_t r = begin; r < end; ++r)                                                          \
      _Pragma("omp simd") for (int64_t j = 0; j < step.hidden; ++j)                                \
          name##Unit<VectorMath>(step, r, j);                                                      \
  }                                                                                                \
  SINGA_CPU_CLONES void name##GradientRows(const CellGradient& step, int64_t begin, int64_t end) { \
    for (int64_t r = begin; r < end; ++r)                                                          \
      _Pragma("omp simd") for (int64_t j = 0; j < step.hidden; ++j)                                \
          name##UnitGradient<VectorMath>(step, r, j);                                              \
  }                                                                                                \
  [[maybe_unused]] const bool registered_##name =                                                  \
      name##Step.Set(                                                                              \
          Device::kCpu,                                                                            \
          [](Context& ctx, const CellStep& step) {                                                 \
            ParallelRows(ctx, step, (blocks)*step.hidden, name##Rows);                             \
          },                                                                                       \
          Rank::kVector) &&                                                                        \
      name##StepGradient.Set(                                                                      \
          Device::kCpu,                                                                            \
          [](Context& ctx, const CellGradient& step) {                                             \
            ParallelRows(ctx, step, (blocks)*step.hidden, name##GradientRows);                     \
          },                                                                                       \
          Rank::kVector)

SINGA_VECTOR_CELL(Gru, 4);
SINGA_VECTOR_CELL(Lstm, 4);
SINGA_VECTOR_CELL(Rnn, 1);
#undef SINGA_VECTOR_CELL

}  // namespace
}  // namespace singa
