// StepPath leads the steps of one worker from a batch to its updates. There is one class for each
// place of layers and updates: HostPath (both on the host), DeviceLayersPath (layers alone on a
// device), DevicePath (both on a device). The worker's thread calls Run. Between steps the lead's
// thread may call the rest.
#pragma once

#include <cstdint>
#include <functional>

#include "singa/train/param_exchange.h"

namespace singa {

class StepPath {
 public:
  virtual ~StepPath() = default;

  // Returns the exchange to which the algorithm hands gradients.
  virtual ParamExchange& exchange() = 0;
  // Runs `pass`, which computes a batch, as step `step`. A device may still work on it afterwards:
  // a later call then throws its errors. `replayable`: the pass hands gradients to exchange()
  // alone, so its work may be captured and replayed.
  virtual void Run(int64_t step, const std::function<void()>& pass, bool replayable) = 0;
  // Gives the device the context's StepState for the next batch of the step that runs.
  virtual void BeginBatch() {}
  // Returns the norm of the last step's gradient. REQUIRES: clip_norm is set.
  virtual double GradientNorm(int64_t step) = 0;

  // The others do something only if there is a device. They are called between steps, by a thread
  // that may have used another device before.

  // Notes that values and states on the host were set: the device computes with them from now on.
  virtual void MarkDeviceStale() {}
  // Copies all that the device has changed to the host's values and states.
  virtual void Download() {}
  // Brings the values on the device up to date with all updates, before an evaluator runs.
  virtual void Upload() {}
  // Blocks until the device has done all steps. Throws the device's errors.
  virtual void Await() {}
  // Moves metrics that are still on the device to the trainer's sums, after all steps are done.
  virtual void CollectMetrics() {}
  // Ends the worker's part in the group's sums, so that no worker waits for another.
  virtual void LeaveGroup() {}
};

}  // namespace singa
