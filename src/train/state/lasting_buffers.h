// Buffers of a train net that outlive a step, by their names in a checkpoint.
#pragma once

#include <string>
#include <vector>

#include "singa/tensor/memory.h"
#include "train/trainer/trainer.h"

namespace singa {

struct LastingBuffer {
  std::string name;
  Buffer* buffer;
  Context ctx;  // where it is

  Tensor OnHost() const { return singa::OnHost(ctx, buffer->tensor); }
  void Set(const float* values) const {
    CopyFromHost(ctx, values, buffer->tensor.data(), buffer->tensor.bytes());
  }
};

// Every kForever buffer of the train net. Copies of an unrolled layer have one name and a number.
std::vector<LastingBuffer> LastingBuffers(Trainer* trainer);

}  // namespace singa
