// CUDA kernels for the steps of the recurrent cells between their products. Memory bounds them or,
// for a small batch, the launch.
#include "nn/neuron/recurrent_elements.h"
#include "tensor/kernel/launch.cuh"

namespace singa {
namespace {

template <typename UnitOf, typename Step>
void EachUnit(Context& ctx, const Step& step) {
  ForEach(ctx, step.rows * step.hidden, CellUnit<UnitOf, Step>{step});
}

void Carry(Context& ctx, const float* h, const float* c, float* carried_h, float* carried_c,
           int64_t rows, int64_t d) {
  ForEachBlock(ctx, rows, CarryRow{h, c, carried_h, carried_c, d});
}

[[maybe_unused]] const bool registered =
    GruStep.Set(Device::kCuda, EachUnit<GruCell, CellStep>) &&
    GruStepGradient.Set(Device::kCuda, EachUnit<GruCell, CellGradient>) &&
    LstmStep.Set(Device::kCuda, EachUnit<LstmCell, CellStep>) &&
    LstmStepGradient.Set(Device::kCuda, EachUnit<LstmCell, CellGradient>) &&
    RnnStep.Set(Device::kCuda, EachUnit<RnnCell, CellStep>) &&
    RnnStepGradient.Set(Device::kCuda, EachUnit<RnnCell, CellGradient>) &&
    CarryState.Set(Device::kCuda, Carry);

}  // namespace
}  // namespace singa
