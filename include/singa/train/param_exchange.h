// ParamExchange: the one hook between an algorithm and whoever updates params. In one process it
// applies the updater; in a cluster it sends gradients to servers or into an all-reduce.
// Nothing else moves gradients, but a GradientSink, which is an exchange too. Called by the
// worker's thread.
#pragma once

#include <cstdint>
#include <string>

#include "singa/nn/param.h"

namespace singa {

class ParamExchange {
 public:
  virtual ~ParamExchange() = default;

  // Before a layer that reads `param` computes its feature in `step`: blocks until the updates of
  // all steps before are in param->data.
  virtual void Await(Param* param, int64_t step) = 0;
  // The gradient of `step` is whole: the last layer that uses the param has finished. It is in
  // param->grad, or its sink (GradientSink) has taken all pieces of it.
  virtual void GradientReady(Param* param, int64_t step) = 0;
  // Whether it looks at the losses itself, where they are computed: then nobody need wait for
  // them.
  virtual bool sees_losses() const { return false; }
  // Whether LossNotFinite may return, so that the workers of a group have to agree on it.
  virtual bool may_drop_steps() const { return false; }
  // The loss of layer `layer` in `step` is not finite, and no gradient of the step was announced.
  // Throws DivergedError, or returns: the step is dropped.
  virtual void LossNotFinite(const std::string& layer, int64_t step) = 0;
  // All gradients of `step` were announced. Updates may still be under way: Await knows.
  virtual void Finish(int64_t step) = 0;
};

}  // namespace singa
