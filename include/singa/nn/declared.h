// Declared is what a layer has asked for in Setup and Prepare, by calls of Declare.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "singa/nn/param.h"
#include "singa/nn/port.h"
#include "singa/tensor/kernel.h"

namespace singa {

// Lifetime of a buffer's content.
enum class Keep : uint8_t {
  kForwardToBackward,  // from ComputeFeature to ComputeGradient of one step
  kStep,               // the whole step
  kForever,            // across steps; named and checkpointed
};

struct Buffer {
  std::string name;  // only of kForever buffers
  Keep keep;
  Tensor tensor;
  // Rows of the group's batch that the first dimension of a kForever buffer holds. rows 0: the
  // buffer has no rows of a batch and is the same in every worker.
  RowSpan span = {};
};

// A weighted mean: sum / weight of all calls of Add. The trainer takes it after each step.
struct Metric {
  std::string name;
  Tensor cell;               // f64 [2]: sum, weight; on the device of its layer
  bool exponential = false;  // shown as exp(mean): the perplexity of a loss
  Tensor seen = {};          // the cell's copy on the host, which Net::SeeMetrics updates

  void Add(double sum, double weight) {
    cell.as<double>()[0] += sum;
    cell.as<double>()[1] += weight;
  }
};

struct Declared {
  std::vector<Param*> params;     // in the order of their declaration
  std::vector<Param*> given;      // those whose gradient the layer gives
  std::vector<Param*> in_pieces;  // those whose gradient it gives in pieces, if they have a sink
  std::deque<Buffer> buffers;
  std::deque<Metric> metrics;
  std::vector<const KernelSlot*> slots;  // of kernels that the layer calls itself
  int64_t scratch = 0, kept = 0;         // bytes; Declare::Scratch and Keeps say which
  // Files that must exist when the job starts: the field in the layer's conf, and the path.
  std::vector<std::pair<std::string, std::string>> files;
};

}  // namespace singa
