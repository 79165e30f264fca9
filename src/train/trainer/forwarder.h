// Forwarder: computes one layer's feature of a trained net for rows that its caller gives. It has
// activations of its own and reads its params' values only. Used by one thread at a time.
//
// A row of an unrolled net is a sequence: of T steps where the input layer's outputs are time
// steps, [T, numbers of a step]; and so is a row of the feature of a layer that has T steps,
// whether it runs as one node or as T.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "nn/input/feed.h"
#include "singa/base/error.h"
#include "singa/nn/net.h"
#include "singa/proto/job.pb.h"
#include "train/device/worker_device.h"

namespace singa {

struct ForwardOptions {
  std::string layer = {};  // whose feature; "": what the net is trained to give (KeepOutput)
  int64_t max_batch = 1;   // rows at a time; >= 1
  int threads = 1;         // >= 1
  // Each row goes on with the state that the one before left, until Reset; max_batch must be 1.
  bool one_sequence = false;
  bool fold = true;  // see NetOptions
  // Where layers compute that can; others may use it in other threads. null: on the CPU.
  std::shared_ptr<Gpu> gpu = {};
};

// A given row has an index that a layer does not allow.
class RowError : public DataError {
 public:
  // `row`: of those given. `step`: of the row; -1: it has one. `message`: what is wrong there.
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

// What a row is: the numbers of its time steps, one step after another.
struct RowLayout {
  int64_t steps = 1;
  std::vector<int64_t> shape;  // of a sequence: steps first
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
  // Moves the values of params() to where their layers compute. Throws DeviceError, which names the
  // one that is too large.
  void PlaceValues();
  // The first time step's node of the layer.
  const NetNode& input() const;
  const NetNode& output() const { return *nets_[0].output; }
  const RowLayout& input_row() const { return in_; }
  const RowLayout& output_row() const { return out_; }
  // Whether a layer may give a row another feature for what came before it, as with carry_state; of
  // a user's own layer it is not known.
  bool carries() const;
  bool causal() const { return nets_[0].net->causal(); }

  // Binds the params to the memory of those in `values`, which stay as they are, and allocates.
  // With a GPU they were placed by another Forwarder on it. Throws DeviceError where the machine or
  // the GPU has too little memory; DataError, FileError: a mean file.
  void Open(const ParamTable& values);

  // rows: [n, input_row().size], planar as records are; out: [n, output_row().size], in logical
  // order. Any n: it is cut into batches of max_batch and, for the rest, of powers of two, each by
  // a net that is made when it is first needed, which throws as Open. Throws RowError. REQUIRES:
  // Open.
  void Run(const float* rows, int64_t n, float* out);

  // The row that follows begins a sequence.
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
  void RunBatch(Sized* sized, const float* rows, int64_t first_row, float* out);

  const JobProto job_;
  const ForwardOptions options_;
  StepState state_;
  Context ctx_;
  std::unique_ptr<WorkerDevice> device_;  // null: the CPU
  FedRows fed_;
  ParamTable params_;
  std::vector<Sized> nets_;  // from the largest to one row
  RowLayout in_, out_;
  Shape out_step_;            // of one step, batch first
  bool goes_on_ = false;      // the next row goes on where the last one ended
  std::vector<Tensor> kept_;  // states before the last row
  NetArena arena_;
};

}  // namespace singa
