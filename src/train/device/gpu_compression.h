// A GpuCompression is one way in which the GPUs of a group send less than all gradients as they
// are. It says what a worker keeps for that, how much memory it takes, and who does the work.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "singa/proto/cluster.pb.h"
#include "singa/tensor/shape.h"
#include "train/device/compressed_exchange.h"
#include "train/reduce/trained_params.h"

namespace singa {

// The facts on which memory and state depend.
struct CompressedParams {
  const AllReduceProto& conf;
  const TrainedParams& trained;
  int64_t states = 0;  // floats that the updater keeps for each value
  float momentum = 0;  // as in GpuSender
};

// A part of a worker's state, as a checkpoint has it.
struct StatePart {
  std::string name;  // after the prefix (train/reduce/exchange_state.h)
  Shape shape;
  bool common = false;  // all workers have it alike; the first one saves it, with CommonPrefix
};

struct GpuCompression {
  // The kind of state that each worker keeps; empty: none, and the functions for it are null.
  std::string_view state_kind = {};
  // The state is the worker's own values and updater states. The model is the mean of all workers'.
  bool has_own_values = false;
  // Returns the parts of a worker's state. Their floats follow each other.
  std::vector<StatePart> (*parts)(const CompressedParams&) = nullptr;
  std::unique_ptr<CompressedExchange> (*make)(const CompressedExchange::Setup&) = nullptr;
  // Returns the bytes of a GPU for what one of `members` and all others send; null: none.
  int64_t (*message_bytes)(const CompressedParams&, int members) = nullptr;

  bool keeps_state() const { return !state_kind.empty(); }
  // Returns the floats of a worker's state, on the host.
  int64_t StateFloats(const CompressedParams& params) const;
  // Returns those for which a GPU needs memory beside the values and the updater's states.
  int64_t GpuStateFloats(const CompressedParams& params) const {
    return has_own_values ? 0 : StateFloats(params);
  }
  int64_t MessageBytes(const CompressedParams& params, int members) const {
    return message_bytes ? message_bytes(params, members) : 0;
  }
};

// Returns the one that the job asks for.
const GpuCompression& CompressionOf(const AllReduceProto& conf);

}  // namespace singa
