// Layer is the base class of all layers. Wiring and Traits are facts that a layer states about
// itself.
//
// One object serves one worker, net and phase, and only one thread uses it. It sees its ports and
// params, never other layers. Layers are deterministic: equal inputs, params, random numbers and
// number of threads give equal bits. A resumed run relies on this. A new layer is one .cc file that
// ends in SINGA_REGISTER_LAYER; in singa itself its settings are in proto, too.
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

// How the workers of a group can divide a layer by units (partition_dim: 1). A unit is an index of
// dimension 1: a channel of an image.
enum class UnitCut : uint8_t {
  kNone,  // they divide it by rows instead, which computes the same
  kEach,  // unit j of each output depends on unit j of the sources alone
  kOwn,   // a worker computes its own units of the outputs from all units of the sources
};

// Facts of a layer that are known before shapes exist, for the graph passes and checks of a job.
struct Wiring {
  int num_outputs = 1;
  int state_outputs = 0;  // further outputs of a recurrent layer, which only its next step reads
  bool outputs_are_steps = false;  // output t is time step t of an unrolled reader (kCharRNN)
  bool outputs_by_name = false;    // a reader that names no output reads output 0 (an input's data)
  int steps_ahead = 0;             // outputs beyond the readers' last step (a label is one ahead)
  const char* steps_field = "unroll_len";  // the conf's field with the number of such steps
  int step_shift = 0;     // time step t reads output t + step_shift of such a source (kRNNLabel: 1)
  bool is_input = false;  // reads records: the workers of a group share one batch
  bool row_wise = false;  // row r of every output depends on row r of the inputs only
  bool sequence = false;  // computes T > 1 time steps in one node: source 0, every other source of
                          // T steps and all outputs are [T, rows, ...]
  bool recurrent = false;  // if it runs as one node per step, the last sources of step t are output
                           // 0 and the state outputs of step t - 1
  bool causal = false;  // step t of a sequence layer depends on no later step; recurrent layers are
                        // always causal
  bool carries_steps = false;  // the layer can keep earlier time steps if each batch is one step.
                               // LayerProto.carried_steps is how many it keeps, Context::past how
                               // many it has.
  bool cuts_rows = false;      // output k has the rows of source 0 that follow output k - 1's
  bool joins_rows = false;     // output 0 has the rows of source 0, then those of source 1, ...
  bool reads_scores = false;   // source 0 gives a score of each class, and source 1 labels
  bool writes_file = false;    // an output layer; no layer reads its feature
  bool differentiable = true;  // false: asks for no gradient of its outputs and gives none
  UnitCut unit_cut = UnitCut::kNone;
  int unit_groups = 0;  // number of groups of units, which no division cuts; 0: cut anywhere
  int stages = 1;       // layers that replace it if it is divided by units: Layer::Stage
  uint32_t feedback_slots = 0;  // bit s: source s is read back and is no ordering edge
};

// Facts of a layer that Net asks for after Setup. The memory plan and the backward pass need them.
struct Traits {
  bool grad_reads_in = false;        // ComputeGradient reads inputs' data
  bool grad_reads_out = false;       // ComputeGradient reads outputs' data
  int in_place_with = -1;            // outputs[0] may overwrite this slot's data, unless gradients
                                     // read it; this slot's gradient may overwrite outputs[0]'s
  bool originates_gradient = false;  // a loss: it runs backward without a gradient of its output
  bool aliases_in = false;           // every output's data is inputs[0]'s (kSplit)
  // Compute functions access tensors only by kernels and by the copies of singa/tensor/memory.h, so
  // tensors may be in a device's memory. The arguments of these calls are the same in each training
  // step, except for Context::Random, so that a step can be captured and replayed. Layers without
  // on_device run on the host, between copies.
  bool on_device = false;
  uint32_t checks = 0;  // bit s: CheckInputs checks source s

  // These facts change no computation. They are for warnings about a net, and for the use of a
  // trained net.
  bool linear = false;      // outputs[0] is inputs[0] times params[0], plus params[1] if it exists,
                            // before the work of a reader (Fuse)
  bool lacks_bias = false;  // it has no bias only because the conf has exactly one param
  bool subtracts_mean = false;   // in training, a constant added to a channel changes no output
  bool keeps_constants = false;  // it adds such a constant to that output channel, except borders
  bool stops_negatives = false;  // no gradient passes where inputs[0] is <= 0
  bool gives_softmax = false;    // outputs[0] is the softmax of inputs[0]
  bool needs_no_reader = false;  // it is no mistake if no layer reads its feature
};

// Nominal number of floating-point operations of one step; a multiply-add counts as 2. It is 0 for
// a layer that mostly moves memory.
struct Work {
  double feature = 0;          // in ComputeFeature
  double input_gradients = 0;  // in ComputeGradient, for the inputs' gradients
  double param_gradients = 0;  // in ComputeGradient, for the params' gradients
};

class OutputFiles;
class RecordReader;

class SINGA_API Layer {
 public:
  virtual ~Layer() = default;

  // Returns facts that depend only on `conf`. Called before Setup.
  virtual Wiring wiring(const LayerProto& conf) const;

  // Infers the outputs' shapes and declares params, buffers and metrics. Must not allocate tensors
  // or open files. Throws ConfigError with a path relative to `conf`.
  virtual void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) = 0;
  virtual Traits traits() const;
  // Returns the work of a step, for `singa bench`. Called after Setup.
  virtual Work work() const { return {}; }

  // Returns stage `stage`, in [0, Wiring::stages), of a layer that the workers divide by units. A
  // stage is a layer with a wiring of its own and the conf of the whole. Stage 0 reads the layer's
  // sources, and each other stage output 0 of the one before. The last one gives the layer's
  // outputs.
  virtual std::unique_ptr<Layer> Stage(int stage) const;

  // Tries to take over the work of `reader`, the only layer that reads this layer's feature. If it
  // returns true, its compute functions give `reader`'s feature and take that feature's gradient.
  // Called after Setup, at most once. Net then calls traits() again.
  virtual bool Fuse(const LayerProto& reader);

  // Makes vendor plans and declares their scratch. Called when all shapes are known; tensors have
  // no memory yet.
  virtual void Prepare(Context& ctx, Declare& declare, Inputs in, Outputs out);
  // Opens stores and sets constant buffers. Called before the first step, when all tensors have
  // memory. Open and ComputeFeature may throw ConfigError, relative to the conf, if a setting does
  // not fit the data.
  virtual void Open(Context& ctx);

  // Throws if data or labels of the sources in Traits::checks are not allowed. Called before
  // ComputeFeature. Only these tensors of `in` may be read; they are in the host's memory, even if
  // the layer runs on a device.
  virtual void CheckInputs(Phase phase, Inputs in);

  virtual void ComputeFeature(Context& ctx, Phase phase, Inputs in, Outputs out) = 0;

  // Overwrites the gradient of each input whose grad is not empty(), and adds to params' gradients
  // by their beta(). A loss is the mean over the group's batch: it divides each row's gradient by
  // span.batch. Net multiplies its inputs' gradients by LayerProto.loss_weight.
  virtual void ComputeGradient(Context& ctx, Inputs in, Outputs out);

  // Sets the files for the records that an output layer writes in the next pass.
  virtual void WriteTo(OutputFiles* files);

  // Begins a pass over a test set, or over rows for a trained net. A layer resets the state that it
  // carries from batch to batch. `batches_before` is the number of batches of this pass that
  // another net computed.
  virtual void BeginPass(Context& ctx, int64_t batches_before) { (void)ctx, (void)batches_before; }

  // Returns the reader of a layer that reads records, else null. The layer owns it.
  virtual RecordReader* reader() { return nullptr; }
};

// Layers by type ("kReLU") and user layers by user_type. The tables are separate, so a user's layer
// may have any name.
using LayerRegistry = Registry<Layer>;
SINGA_API LayerRegistry& Layers();
SINGA_API LayerRegistry& UserLayers();

// Makes the layer of `conf`: by user_type if set, else by type. Throws ConfigError if it is unknown
// or not built yet.
SINGA_API std::unique_ptr<Layer> MakeLayer(const LayerProto& conf);

// SINGA_REGISTER_LAYER(kReLU, ReluLayer); the first argument is the enum's name in singa's own
// code, and the user_type in other code.
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
