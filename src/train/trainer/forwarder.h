// Forwarder computes one layer's feature of a trained net for rows that its caller gives. It has
// its own activations, and only reads its params' values. One thread at a time uses it.
//
// A row of an unrolled net is a sequence of T steps, [T, numbers of a step], if the input layer's
// outputs are time steps. A row of the feature of a layer with T steps is a sequence, too, whether
// the layer runs as one node or as T.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "nn/input/feed.h"
#include "nn/plan/net_memory.h"
#include "singa/base/error.h"
#include "singa/nn/net.h"
#include "singa/proto/job.pb.h"
#include "tensor/constant_tensors.h"
#include "train/device/worker_device.h"

namespace singa {

struct ForwardOptions {
  std::string layer = {};  // layer whose feature it computes; "": the net's own output (KeepOutput)
  int64_t max_batch = 1;   // rows at a time; >= 1
  int threads = 1;         // >= 1
  // Each row continues with the state that the row before left, until Reset. max_batch must be 1.
  bool one_sequence = false;
  // A row is one time step of a sequence, and each row is the next step, until Reset. When layers
  // can keep no more steps, the net begins anew with the last half of them. REQUIRES: one_sequence.
  bool step_by_step = false;
  bool fold = true;  // as in NetOptions
  // The GPU of layers that can use one; null: the CPU. Others may use it in other threads.
  std::shared_ptr<Gpu> gpu = {};
};

// A given row has an index that a layer does not allow.
class RowError : public DataError {
 public:
  // `row`: number of the given row. `step`: time step of the row; -1: it has only one. `message`:
  // what is wrong there.
  RowError(int64_t row, int64_t step, const std::string& message)
      : DataError("given rows", row, step < 0 ? message : StrCat("step ", step, ": ", message)),
        row_(row),
        step_(step),
        message_(message) {}
  int64_t row() const { return row_; }
  int64_t step() const { return step_; }
  const std::string& message() const { return message_; }

 private:
  int64_t row_, step_;
  std::string message_;
};

// The layout of a row: the numbers of its time steps, one step after another.
struct RowLayout {
  int64_t steps = 1;
  std::vector<int64_t> shape;  // the number of steps first, if the row is a sequence
  int64_t size = 0;            // numbers of all steps
};

class Forwarder {
 public:
  // Plans the net of the test phase. Allocates no tensor. Throws ConfigError, relative to the
  // JobProto.
  Forwarder(const JobProto& job, const ForwardOptions& options);
  ~Forwarder();
  Forwarder(const Forwarder&) = delete;

  ParamTable& params() { return params_; }
  // Moves the values of params() to where their layers compute. Throws DeviceError, which names a
  // param that is too large.
  void PlaceValues();
  // These return the first time step's node of the layer.
  const NetNode& input() const;
  const NetNode& output() const { return *nets_[0].output; }
  const RowLayout& input_row() const { return in_; }
  const RowLayout& output_row() const { return out_; }
  // Returns whether a row's feature may depend on earlier rows, as with carry_state. A user's own
  // layer counts as such, since it is not known.
  bool carries() const;
  bool causal() const { return nets_[0].net->causal(); }

  // Binds the params to the memory of those in `values`, which stay unchanged, and allocates. With
  // a GPU, another Forwarder must have placed the values there. Throws DeviceError if the machine
  // or the GPU has too little memory, and DataError or FileError for a mean file.
  void Open(const ParamTable& values);

  // rows: [n, input_row().size], planar as records are; out: [n, output_row().size], in logical
  // order. Any n is cut into batches of max_batch and, for the rest, of powers of two. The net of
  // each size is made when it is first needed, which throws as Open does. Throws RowError.
  // REQUIRES: Open was called.
  void Run(const float* rows, int64_t n, float* out);

  // Makes the next row begin a sequence.
  void Reset() { goes_on_ = false; }

 private:
  struct Sized {
    int64_t rows = 0;
    std::unique_ptr<Net> net;  // null: not made yet
    const NetNode* output = nullptr;
    NetMemory memory;
    Tensor seen;  // pinned: an output on a GPU, for the host
  };

  const NetNode* FindOutput(const Net& net) const;
  void Make(Sized* sized);
  void Allocate(Sized* sized);
  void Compute(Net* net, int64_t first_row);
  const float* OutputOnHost(Sized* sized);
  void CopyOut(Sized* sized, float* out);
  void CopyStates(Net* net, bool keep);
  void BeginAnew(Net* net, int64_t first_row);
  void NoteStep(const float* row);
  void RunBatch(Sized* sized, const float* rows, int64_t first_row, float* out);

  const JobProto job_;
  const ForwardOptions options_;
  StepState state_;
  Context ctx_;
  std::unique_ptr<WorkerDevice> device_;  // null: the CPU
  ConstantTensors constant_;              // of params(), which Open binds
  FedRows fed_;
  ParamTable params_;
  std::vector<Sized> nets_;  // from the largest to one row
  RowLayout in_, out_;
  Shape out_step_;            // shape of one step, batch first
  bool goes_on_ = false;      // the next row continues where the last one ended
  std::vector<Tensor> kept_;  // states before the last row
  int64_t carried_ = 0;  // time steps that layers keep if they are computed one by one; 0: none
  std::vector<float> last_steps_;  // the last RepeatedSteps(carried_) rows at most
  NetArena arena_;
};

}  // namespace singa
