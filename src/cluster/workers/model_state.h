// ModelState collects the trained model of all processes for a test or a checkpoint. It also saves
// and restores what each process keeps beside the values and the workers' state. This class is for
// modes whose replica is the model and which keep nothing else; other modes override it.
#pragma once

#include <cstdint>
#include <vector>

#include "cluster/client/model_gather.h"
#include "io/checkpoint/safetensors.h"
#include "io/checkpoint/stored_tensor.h"

namespace singa {

class ModelState {
 public:
  virtual ~ModelState() = default;

  // Returns the model by slice, as it is when each group g has done steps[g] steps. Empty: the
  // replica is the model. Called at rank 0. REQUIRES: no group is in a step.
  virtual std::vector<SliceState> Gather(const std::vector<int64_t>&) { return {}; }
  // Takes part in rank 0's Gather, at the other ranks. `versions`: by server group, the steps that
  // its slices hold before.
  virtual void Exchange(const std::vector<int64_t>&) {}
  // Puts the replica's own values back, if Gather's model has replaced them and training goes on
  // with its own. Rank 0 calls it before its first group's next step.
  virtual void BringOwnBack() {}
  // Adds what a checkpoint needs of this process beside values and the workers' state. REQUIRES: no
  // group here is in a step.
  virtual void SaveState(std::vector<StoredTensor>*) {}
  // Takes what SaveState of all processes wrote. Called before SyncBackend::Connect.
  virtual void RestoreState(const Safetensors&) {}
  // Continues with the state that RestoreState took. REQUIRES: SyncBackend::Connect was called.
  virtual void UseRestoredState() {}
};

}  // namespace singa
