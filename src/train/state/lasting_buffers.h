// LastingBuffers are the buffers of a train net that outlive a step, with their names in a
// checkpoint.
#pragma once

#include <string>
#include <vector>

#include "singa/tensor/memory.h"
#include "train/trainer/worker_model.h"

namespace singa {

struct LastingBuffer {
  std::string name;
  Buffer* buffer;
  Context ctx;  // of the device where the buffer is

  Tensor OnHost() const { return singa::OnHost(ctx, buffer->tensor); }
  void Set(const float* values) const {
    CopyFromHost(ctx, values, buffer->tensor.data(), buffer->tensor.bytes());
  }
};

// Returns every kForever buffer of the train net. Copies of an unrolled layer have one name and a
// number.
std::vector<LastingBuffer> LastingBuffers(WorkerModel* model);

}  // namespace singa
