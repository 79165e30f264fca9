// MetricSums: the metrics of a net's layers, summed over steps; one entry for each layer and metric
// name, whatever copies of the layer the net has.
#pragma once

#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "singa/nn/net.h"

namespace singa {

class MetricSums {
 public:
  struct Entry {
    std::string layer, name;
    double sum = 0, weight = 0;
    bool exponential = false;  // Metric::exponential
    // What people are shown; NaN where nothing was added.
    double value() const {
      if (weight == 0) return std::numeric_limits<double>::quiet_NaN();
      return exponential ? std::exp(sum / weight) : sum / weight;
    }
  };

  MetricSums() = default;
  explicit MetricSums(Net* net);

  // Adds what the layers' cells hold and zeroes them. Allocates nothing.
  void Take(Context& ctx);
  void Drop(Context& ctx);            // zeroes the cells: what they hold does not count
  void Add(const MetricSums& other);  // of a net with the same layers
  void Reset();
  // Sum and weight of each entry.
  std::vector<double> Numbers() const;
  void SetNumbers(std::span<const double> numbers);

  struct Cell {
    Metric* metric;
    size_t entry;
  };
  const std::vector<Cell>& cells() const { return cells_; }
  std::vector<Entry>& entries() { return entries_; }
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  Net* net_ = nullptr;  // null: of none
  std::vector<Entry> entries_;
  std::vector<Cell> cells_;
};

}  // namespace singa
