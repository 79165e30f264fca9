#include "cluster/workers/group_metrics.h"

#include <map>
#include <set>
#include <span>
#include <string>

namespace singa {

std::vector<ProcessShare> AddMetricsUp(JobProcess* process, int group, WorkerTeam* team,
                                       MetricSums* sums, ProcessShare own) {
  if (!process) return {own};
  const Range processes = process->part().topology().ProcessesOf(group);
  std::vector<ProcessShare> shares(processes.size());
  shares[process->part().rank() - processes.first] = own;
  std::vector<double*> places;
  for (ProcessShare& share : shares)
    for (double* number : share.Numbers()) places.push_back(number);
  std::vector<double> parts;
  size_t metrics = 0;
  for (const std::vector<double>& node : team->metrics().OfNodes()) {
    const bool first = parts.empty();  // the process's share counts once, with its first node
    metrics = node.size();
    parts.insert(parts.end(), node.begin(), node.end());
    for (const double* place : places) parts.push_back(first ? *place : 0);
  }
  std::vector<double> all(metrics + places.size());
  LinkCollective& between = process->cluster().between(group);
  between.Await(between.StartAllReduce(parts, std::span(all)));
  sums->SetNumbers(std::span(all).first(metrics));
  for (size_t i = 0; i < places.size(); ++i) *places[i] = all[metrics + i];
  return shares;
}

int64_t CountBadRecords(WorkerTeam* team) {
  std::map<std::string, std::set<int64_t>> all;
  for (Trainer* trainer : team->trainers())
    for (const auto& [layer, records] : trainer->model().readers().BadRecords())
      all[layer].insert(records.begin(), records.end());
  int64_t count = 0;
  for (const auto& [layer, records] : all) count += static_cast<int64_t>(records.size());
  return count;
}

}  // namespace singa
