#include "train/device/coded_gradients.h"

#include <cstring>

#include "singa/base/error.h"
#include "singa/base/str_cat.h"
#include "singa/tensor/memory.h"

namespace singa {

CodedGradients::CodedGradients(const Setup& setup, const GpuCompression& compression)
    : CompressedExchange(setup) {
  const int64_t floats = compression.StateFloats(
      {.conf = conf(), .trained = setup_.trained, .momentum = setup_.sender.momentum});
  try {
    state_ = Allocate(*setup_.ctx, {floats});
  } catch (const DeviceError& error) {
    throw DeviceError(StrCat("the state of the gradients' compression: ", error.what()));
  }
}

void CodedGradients::Upload() {
  if (state_.bytes() > 0)
    CopyFromHost(*setup_.ctx, setup_.sender.state->data(), state_.data(), state_.bytes());
}

void CodedGradients::Download() const {
  if (state_.bytes() == 0) return;
  const Tensor floats = OnHost(*setup_.ctx, state_);
  std::memcpy(setup_.sender.state->data(), floats.data(), floats.bytes());
}

}  // namespace singa
