// Layer: the base of every layer, and what one declares about itself.
//
// One object serves one worker, net and phase, and is used by one thread. It sees its ports and
// params, never other layers. What it computes is deterministic: the same inputs, params, random
// numbers and threads give the same bits, which a resumed run relies on to go on exactly. A new
// layer is one .cc file that ends in SINGA_REGISTER_LAYER.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "singa/base/registry.h"
#include "singa/nn/declare.h"
#include "singa/nn/port.h"
#include "singa/proto/layer.pb.h"
#include "singa/tensor/context.h"

namespace singa {

// How the rows and units of an output depend on an input slot.
enum class Dependency : uint8_t {
  kOneToOne,  // unit j of row r on unit j of row r
  kOneToAll,  // any unit of row r on all units of row r
  kHalo,      // unit j on a neighbourhood of j (LRN across channels)
};

// What the graph passes need before shapes exist.
struct Wiring {
  int num_outputs = 1;
  int state_outputs = 0;  // of a recurrent layer, after those: its next step alone reads them
  bool outputs_are_steps = false;  // output t is time step t of an unrolled reader (kCharRNN)
  int steps_ahead = 0;             // so many of such outputs are behind its readers' last step
  const char* steps_field = "unroll_len";  // of the conf, that says how many steps such outputs are
  int step_shift = 0;      // reads output t + step_shift of such a source (kRNNLabel: 1)
  bool is_input = false;   // reads records: shares one batch of the group
  bool row_wise = false;   // row r of every output depends on row r of the inputs only
  bool sequence = false;   // computes T > 1 time steps in one node: source 0, every other source of
                           // T steps and all outputs are [T, rows, ...]
  bool recurrent = false;  // as one node for each step, step t reads output 0 and the state outputs
                           // of step t - 1; they are its last sources
  bool causal = false;     // of a sequence layer: step t depends on no step behind t; a recurrent
                           // layer's never does
  bool writes_file = false;    // an output layer: its feature is not worth reading
  bool differentiable = true;  // false: asks for no gradient of its outputs and gives none
  Dependency dependency = Dependency::kOneToOne;
  uint32_t feedback_slots = 0;  // bit s: source s is read back and is no ordering edge
};

// What the memory plan and the backward pass need; asked after Setup.
struct Traits {
  bool grad_reads_in = false;        // ComputeGradient reads inputs' data
  bool grad_reads_out = false;       // ComputeGradient reads outputs' data
  int in_place_with = -1;            // outputs[0] may overwrite this slot's data, and this slot's
                                     // gradient may overwrite outputs[0]'s
  bool originates_gradient = false;  // a loss: runs backward without a gradient from above
  bool aliases_in = false;           // every output's data is inputs[0]'s (kSplit)
  // Its compute functions reach tensors by kernels and the copies of singa/tensor/memory.h alone,
  // so these may lie in a device's memory. Other layers run on the host, between copies. What they
  // are told does not change from one step of a training to the next, but for numbers of
  // Context::Random, which follow the step wherever they are drawn: a step may be captured, and
  // replayed with the arguments that it had.
  bool on_device = false;
  uint32_t checks = 0;  // bit s: CheckInputs looks at source s
};

// Arithmetic of one step, 2 for a product that is added to a sum: nominal, whatever a kernel does.
// 0 for a layer whose time goes into moving memory.
struct Work {
  double feature = 0;          // of ComputeFeature
  double input_gradients = 0;  // of ComputeGradient: what the inputs' gradients take
  double param_gradients = 0;  // and the params'
};

class OutputFiles;
class RecordReader;

class SINGA_API Layer {
 public:
  virtual ~Layer() = default;

  // Constant facts of a configuration; called before Setup.
  virtual Wiring wiring(const LayerProto& conf) const;

  // Infers the outputs' shapes and declares params, buffers and metrics. Allocates and opens
  // nothing. Throws ConfigError with a path relative to `conf`.
  virtual void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) = 0;
  virtual Traits traits() const;
  // For `singa bench`; asked after Setup.
  virtual Work work() const { return {}; }

  // Whether this layer does the work of `reader`, too, the only layer that reads its feature: from
  // then on its compute functions give `reader`'s feature and take the gradient of it. Called after
  // Setup, at most once; traits() is asked again.
  virtual bool Fuse(const LayerProto& reader);

  // Shapes of all ports are known, storage is not bound: make vendor plans, declare their scratch.
  virtual void Prepare(Context& ctx, Declare& declare, Inputs in, Outputs out);
  // Storage is bound, before the first step: open stores, set constant buffers. It and
  // ComputeFeature may throw ConfigError, relative to the conf, for what does not fit the data.
  virtual void Open(Context& ctx);

  // Before ComputeFeature: throws where the data or labels of the sources that Traits::checks names
  // are not what the layer allows. These lie in the host's memory, wherever the layer runs; of `in`
  // there is nothing else.
  virtual void CheckInputs(Phase phase, Inputs in);

  virtual void ComputeFeature(Context& ctx, Phase phase, Inputs in, Outputs out) = 0;

  // Overwrites the gradient of each input whose grad is not empty(); adds to params' gradients by
  // their beta(). The gradient of a mean over the batch: each row's share divided by span.batch.
  virtual void ComputeGradient(Context& ctx, Inputs in, Outputs out);

  // Where an output layer's records of the pass that follows go.
  virtual void WriteTo(OutputFiles* files);

  // The batches that follow are a pass over a test set, or rows for a trained net: what a layer
  // carries from batch to batch does not reach into them. `batches_before`: of the same pass, which
  // another net has computed.
  virtual void BeginPass(Context& ctx, int64_t batches_before) { (void)ctx, (void)batches_before; }

  // The reader of a layer that reads records, which the layer owns; null: it reads none.
  virtual RecordReader* reader() { return nullptr; }
};

// By type ("kReLU"), and by user_type: tables of their own, so that a user's layer may have any
// name.
using LayerRegistry = Registry<Layer>;
SINGA_API LayerRegistry& Layers();
SINGA_API LayerRegistry& UserLayers();

// The layer of `conf`: by user_type where set, else by type. Throws ConfigError: unknown, or not
// built yet.
SINGA_API std::unique_ptr<Layer> MakeLayer(const LayerProto& conf);

// SINGA_REGISTER_LAYER(kReLU, ReluLayer); the first argument is the enum's name in singa itself,
// and the user_type everywhere else.
#ifdef SINGA_ROOM
#define SINGA_LAYER_TABLE Layers
#else
#define SINGA_LAYER_TABLE UserLayers
#endif
#define SINGA_REGISTER_LAYER(type, Class) SINGA_REGISTER_LAYER_AT(type, Class, __COUNTER__)
#define SINGA_REGISTER_LAYER_AT(type, Class, id) SINGA_REGISTER_LAYER_ID(type, Class, id)
#define SINGA_REGISTER_LAYER_ID(type, Class, id)                                              \
  [[maybe_unused]] const bool singa_registered_layer_##id = ::singa::SINGA_LAYER_TABLE().Add( \
      #type, [] { return std::unique_ptr<::singa::Layer>(std::make_unique<Class>()); })

}  // namespace singa
