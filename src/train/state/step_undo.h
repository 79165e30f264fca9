// StepUndo takes back a step that was abandoned before its update. It restores all that the batches
// of a step change in a worker: lasting buffers, params that layers maintain (running statistics),
// the places in the stores, and the sums of metrics.
#pragma once

#include <vector>

#include "nn/net_readers.h"
#include "train/trainer/trainer.h"

namespace singa {

// The worker's thread uses it. REQUIRES: the worker has no device.
class StepUndo {
 public:
  // `trainer` must outlive it.
  explicit StepUndo(Trainer* trainer) : trainer_(*trainer) {}

  // Keeps the state, before a step. REQUIRES: the trainer was allocated.
  void Keep();
  // Restores the state that was kept last.
  void Restore();

 private:
  struct Kept {
    Tensor* tensor;
    std::vector<float> values;
  };
  void FindTensors();

  Trainer& trainer_;
  std::vector<Kept> tensors_;
  NetReaders::Positions positions_;
  NetReaders::Records bad_records_;
  std::vector<double> metrics_;
};

}  // namespace singa
