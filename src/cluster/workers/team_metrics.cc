#include "cluster/workers/team_metrics.h"

#include <algorithm>

namespace singa {

MetricSums TeamMetrics::Sum() {
  const std::vector<std::vector<double>> nodes = OfNodes();
  std::vector<double> numbers = nodes[0];
  for (size_t node = 1; node < nodes.size(); ++node)
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] += nodes[node][i];
  MetricSums sums = trainers_[0]->metrics();
  sums.SetNumbers(numbers);
  return sums;
}

std::vector<std::vector<double>> TeamMetrics::OfNodes() {
  const WorkerPlace& place = trainers_[0]->model().place();
  const SumNode here = {place.first, place.first + static_cast<int>(trainers_.size())};
  std::vector<std::vector<double>> nodes;
  for (const SumNode& node : SumTree(place.workers).NodesOf(here)) {
    std::vector<std::vector<double>> of_workers;
    for (int w = node.first; w < node.last; ++w)
      of_workers.push_back(trainers_[w - place.first]->metrics().Numbers());
    std::vector<double>& sum = nodes.emplace_back(of_workers[0].size());
    AddUpWorkers(
        node, [&](int w) { return of_workers[w - node.first].data(); },
        static_cast<int64_t>(sum.size()), sum.data());
  }
  return nodes;
}

void TeamMetrics::Reset() {
  for (Trainer* trainer : trainers_) trainer->metrics().Reset();
}

double TeamMetrics::TakeDataWaitMs() {
  double longest = 0;
  for (Trainer* trainer : trainers_)
    longest = std::max(longest, trainer->model().readers().TakeWaitMs());
  return longest;
}

}  // namespace singa
