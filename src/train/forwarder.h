// Forwarder: computes one layer's feature of a trained net for rows that its caller gives. It has
// activations of its own and reads its params' values only. Used by one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "nn/input/feed.h"
#include "singa/nn/net.h"
#include "singa/proto/job.pb.h"

namespace singa {

struct ForwardOptions {
  std::string layer = {};  // whose feature; "": what the net is trained to give (KeepOutput)
  int64_t max_batch = 1;   // rows at a time; >= 1
  int threads = 1;         // >= 1
};

class Forwarder {
 public:
  // Plans the net of the test phase. Allocates no tensor. Throws ConfigError, relative to the
  // JobProto.
  Forwarder(const JobProto& job, const ForwardOptions& options);
  Forwarder(const Forwarder&) = delete;

  ParamTable& params() { return params_; }
  const NetNode& input() const;
  const NetNode& output() const { return *Output(nets_[0].net.get()); }
  int64_t input_size() const { return input().out[0]->data.row_size(); }
  int64_t output_size() const { return output().out[0]->data.row_size(); }

  // Binds the params to the memory of those in `values`, which stay as they are, and allocates.
  // Throws DeviceError where the machine has too little memory; DataError, FileError: a mean file.
  void Open(const ParamTable& values);

  // rows: [n, input_size()], planar as records are; out: [n, output_size()], in logical order. Any
  // n: it is cut into batches of max_batch and, for the rest, of powers of two, each by a net that
  // is made when it is first needed, which throws as Open. REQUIRES: Open.
  void Run(const float* rows, int64_t n, float* out);

 private:
  struct Sized {
    int64_t rows = 0;
    std::unique_ptr<Net> net;  // null: not made yet
    int64_t arena_bytes = 0;
  };

  NetNode* Output(Net* net) const;
  void Make(Sized* sized);
  void Allocate(Sized* sized);
  void RunBatch(Sized* sized, const float* rows, float* out);

  const JobProto job_;
  const ForwardOptions options_;
  StepState state_;
  Context ctx_;
  FedRows fed_;
  ParamTable params_;
  std::vector<Sized> nets_;  // from the largest to one row
  Tensor arena_;
};

}  // namespace singa
