// GpuSender says how a worker's GPU takes part in its group if the compression of the job keeps a
// state (GpuCompression).
#pragma once

#include <vector>

namespace singa {

struct GpuSender {
  // With kTopK and kThreshold: what the worker does to its own gradient, in place of the updater.
  float momentum = 0;   // 0: the updater has it
  float clip_norm = 0;  // bound of the group's gradients; 0: the updater bounds their sum
  // The state of the compression, on the host between two steps of the device. With kPartial these
  // are the worker's own values and updater states by slice, [1 + states, floats] each; empty: they
  // are those of the replica.
  std::vector<float>* state = nullptr;
};

}  // namespace singa
