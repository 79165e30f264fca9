// Algorithm: computes the gradients of one batch and hands each to the ParamExchange as soon as
// it is whole.
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

  // Throws ConfigError relative to `conf`.
  virtual void Setup(const AlgProto& conf);
  // Whether each step is one forward and one backward pass in order, each layer once. Then features
  // share memory once their last reader is done, and a large gradient may go to the updater in
  // pieces and leave Param::grad empty. An algorithm that goes another way has all of them whole.
  virtual bool forward_backward() const { return false; }

  // Flags of the first pass of each step, where TrainOneBatch hands out the same work each time,
  // but for what kernels read of Context::device_state, and does nothing else: then a device that
  // has the whole net may capture the work of one step and replay it.
  virtual std::optional<Phase> captured_pass() const { return std::nullopt; }

  // REQUIRES: ctx.state->step is the step.
  virtual void TrainOneBatch(Context& ctx, Net& net, ParamExchange& exchange) = 0;
  // One batch of a test or validation net; by default one forward pass.
  virtual void TestOneBatch(Context& ctx, Net& net);
};

using AlgorithmRegistry = Registry<Algorithm>;
SINGA_API AlgorithmRegistry& Algorithms();

// By user_alg where set, else by alg. Throws ConfigError relative to `conf`.
SINGA_API std::unique_ptr<Algorithm> MakeAlgorithm(const AlgProto& conf);

#define SINGA_REGISTER_ALGORITHM(type, Class)                                                \
  [[maybe_unused]] const bool singa_registered_algorithm_##type = ::singa::Algorithms().Add( \
      #type, [] { return std::unique_ptr<::singa::Algorithm>(std::make_unique<Class>()); })

}  // namespace singa
