// LargestSender says what a worker's GPU does to its own gradient before it sends the largest
// floats of it, in place of the updater.
#pragma once

#include <cstdint>
#include <vector>

namespace singa {

struct LargestSender {
  float momentum = 0;   // 0: the updater has it
  float clip_norm = 0;  // bound of the group's gradients; 0: the updater bounds their sum
  bool feeds_back = true;
  // The state of the slices in the order of their table, [states(), floats] of each, on the host
  // between two steps of the device.
  std::vector<float>* state = nullptr;

  // The rest, and the gradient with momentum, as SparseCodec has them.
  int64_t states() const { return !feeds_back ? 0 : momentum > 0 ? 2 : 1; }
};

}  // namespace singa
