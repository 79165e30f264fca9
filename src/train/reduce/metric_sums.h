// MetricSums sums the metrics of a net's layers over steps. There is one entry for each layer and
// metric name, also if the net has several copies of the layer.
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
    bool exponential = false;  // these four are as in Metric
    MetricValue of = nullptr;
    int64_t parts = 1;
    bool hidden = false;
    // Returns the mean, or its exponential; NaN if nothing was added.
    double value() const {
      if (weight == 0) return std::numeric_limits<double>::quiet_NaN();
      return exponential ? std::exp(sum / weight) : sum / weight;
    }
  };

  // A metric as rows show it.
  struct Shown {
    std::string layer, name;
    double value;
  };

  MetricSums() = default;
  explicit MetricSums(Net* net);

  // Adds the layers' cells to the sums and zeroes the cells. Allocates nothing.
  void Take(Context& ctx);
  void Drop(Context& ctx);            // zeroes the cells without adding them
  void Add(const MetricSums& other);  // `other`: of a net with the same layers
  void Reset();
  // Returns the metrics to show, in the order of the entries.
  std::vector<Shown> Values() const;
  // Returns sum and weight of each entry.
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
  Net* net_ = nullptr;  // null: no net
  std::vector<Entry> entries_;
  std::vector<Cell> cells_;
};

}  // namespace singa
