// Algorithm computes the gradients of one batch. It passes each gradient to the ParamExchange as
// soon as it is complete.
#pragma once

#include <memory>
#include <optional>

#include "singa/base/registry.h"
#include "singa/nn/net.h"
#include "singa/proto/job.pb.h"
#include "singa/train/param_exchange.h"

namespace singa {

class SINGA_API Algorithm {
 public:
  virtual ~Algorithm() = default;

  // Reads the settings. Throws ConfigError relative to `conf`.
  virtual void Setup(const AlgProto& conf);
  // Returns whether each step is one forward and one backward pass in order, each layer once. Then
  // features share memory after their last reader is done, and a large gradient may go to the
  // updater in pieces, with Param::grad empty. Otherwise all features and gradients are stored
  // whole.
  virtual bool forward_backward() const { return false; }

  // Returns the flags of a step's first pass if each TrainOneBatch gives the device the same work,
  // and does nothing else; else nullopt. Only the content of Context::device_state may differ. A
  // device that runs the whole net may then capture a step and replay it.
  virtual std::optional<Phase> captured_pass() const { return std::nullopt; }

  // Computes the gradients of one training batch. REQUIRES: ctx.state->step is the step.
  virtual void TrainOneBatch(Context& ctx, Net& net, ParamExchange& exchange) = 0;
  // Computes one batch of a test or validation net; by default one forward pass.
  virtual void TestOneBatch(Context& ctx, Net& net);
};

using AlgorithmRegistry = Registry<Algorithm>;
SINGA_API AlgorithmRegistry& Algorithms();

// Makes the algorithm that user_alg names if it is set, else that of alg, and calls its Setup.
// Throws ConfigError relative to `conf`.
SINGA_API std::unique_ptr<Algorithm> MakeAlgorithm(const AlgProto& conf);

#define SINGA_REGISTER_ALGORITHM(type, Class)                                                \
  [[maybe_unused]] const bool singa_registered_algorithm_##type = ::singa::Algorithms().Add( \
      #type, [] { return std::unique_ptr<::singa::Algorithm>(std::make_unique<Class>()); })

}  // namespace singa
