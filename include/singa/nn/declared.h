// Declared is what a layer has asked for in Setup and Prepare, by calls of Declare.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
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

// Returns the value of a metric that is no weighted mean, from the sum and weight of each of its
// parts.
using MetricValue = double (*)(std::span<const double> sums_and_weights);

// A weighted mean: sum / weight of all calls of Add. The trainer takes it after each step.
struct Metric {
  std::string name;
  Tensor cell;               // f64 [2]: sum, weight; on the device of its layer
  bool exponential = false;  // shown as exp(mean): the perplexity of a loss
  Tensor seen = {};          // the cell's copy on the host, which Net::SeeMetrics updates
  // If `value` is not null, it shows the metric. Its parts are this one and the next ones.
  MetricValue value = nullptr;
  int64_t parts = 1;
  bool hidden = false;  // a part of an earlier metric: it is summed, but not shown

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
  // Cells of all metrics, one after the other in their order: f64 [metrics, 2], and their copy on
  // the host. BindNet allocates them.
  Tensor metric_cells, seen_cells;
  std::vector<const KernelSlot*> slots;  // of kernels that the layer calls itself
  int64_t scratch = 0, kept = 0;         // bytes; Declare::Scratch and Keeps say which
  // Files that must exist when the job starts: the field in the layer's conf, and the path.
  std::vector<std::pair<std::string, std::string>> files;
};

}  // namespace singa
