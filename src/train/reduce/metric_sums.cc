#include "train/reduce/metric_sums.h"

#include <glog/logging.h>

namespace singa {

MetricSums::MetricSums(Net* net) : net_(net) {
  for (NetNode& node : net->nodes())
    for (Metric& metric : node.declared().metrics) {
      size_t i = 0;
      while (i < entries_.size() &&
             (entries_[i].layer != node.name || entries_[i].name != metric.name))
        ++i;
      if (i == entries_.size())
        entries_.push_back({.layer = node.name,
                            .name = metric.name,
                            .exponential = metric.exponential,
                            .of = metric.value,
                            .parts = metric.parts,
                            .hidden = metric.hidden});
      cells_.push_back({&metric, i});
    }
}

void MetricSums::Take(Context& ctx) {
  if (!net_) return;
  net_->SeeMetrics(ctx);
  for (const Cell& cell : cells_) {
    const double* const values = cell.metric->seen.as<double>();
    entries_[cell.entry].sum += values[0];
    entries_[cell.entry].weight += values[1];
  }
  net_->ClearMetrics(ctx);
}

void MetricSums::Drop(Context& ctx) {
  if (net_) net_->ClearMetrics(ctx);
}

void MetricSums::Add(const MetricSums& other) {
  CHECK_EQ(entries_.size(), other.entries_.size());
  for (size_t i = 0; i < entries_.size(); ++i) {
    entries_[i].sum += other.entries_[i].sum;
    entries_[i].weight += other.entries_[i].weight;
  }
}

std::vector<MetricSums::Shown> MetricSums::Values() const {
  const std::vector<double> numbers = Numbers();
  std::vector<Shown> shown;
  for (size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    if (entry.hidden) continue;
    const double value =
        entry.of ? entry.of(std::span(numbers).subspan(2 * i, 2 * entry.parts)) : entry.value();
    shown.push_back({entry.layer, entry.name, value});
  }
  return shown;
}

std::vector<double> MetricSums::Numbers() const {
  std::vector<double> numbers;
  for (const Entry& entry : entries_) numbers.insert(numbers.end(), {entry.sum, entry.weight});
  return numbers;
}

void MetricSums::SetNumbers(std::span<const double> numbers) {
  CHECK_EQ(numbers.size(), 2 * entries_.size());
  for (size_t i = 0; i < entries_.size(); ++i) {
    entries_[i].sum = numbers[2 * i];
    entries_[i].weight = numbers[2 * i + 1];
  }
}

void MetricSums::Reset() {
  for (Entry& entry : entries_) entry.sum = entry.weight = 0;
}

}  // namespace singa
