// ParamExchange is the interface between an algorithm and the code that updates params. Behind it
// gradients are added up over the workers, and the updater is applied here, by servers, or on GPUs.
// All gradients go through it or through a GradientSink. The worker's thread calls it.
#pragma once

#include <cstdint>
#include <string>

#include "singa/nn/param.h"

namespace singa {

class ParamExchange {
 public:
  virtual ~ParamExchange() = default;

  // Blocks until param->data has the updates of all steps before `step`. Called before a layer that
  // reads `param` computes its feature in `step`.
  virtual void Await(Param* param, int64_t step) = 0;
  // Announces that the gradient of `step` is complete: the last layer that uses the param is done.
  // The gradient is in param->grad, or the param's GradientSink has taken all its pieces.
  virtual void GradientReady(Param* param, int64_t step) = 0;
  // Returns whether the exchange checks the losses itself, on their device. Then the algorithm need
  // not wait for them.
  virtual bool sees_losses() const { return false; }
  // Returns whether LossNotFinite may return. Then all workers of a group have to agree to drop the
  // step.
  virtual bool may_drop_steps() const { return false; }
  // Reports that the loss of layer `layer` in `step` is not finite. Throws DivergedError, or drops
  // the step and returns. REQUIRES: no gradient of the step was announced.
  virtual void LossNotFinite(const std::string& layer, int64_t step) = 0;
  // Ends `step` after all its gradients were announced. Updates may still be in progress; Await
  // waits for them.
  virtual void Finish(int64_t step) = 0;
};

}  // namespace singa
