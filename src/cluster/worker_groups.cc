#include "cluster/worker_groups.h"

#include <map>
#include <set>

#include "singa/base/str_cat.h"

namespace singa {

bool HasServers(const ClusterProto& cluster) {
  return cluster.nserver_groups() > 1 || !cluster.share_memory();
}

WorkerGroups::WorkerGroups(const JobProto& job, int threads)
    : replica_(job),
      served_(HasServers(job.cluster()) ? std::make_unique<ServedCluster>(job) : nullptr),
      gate_(job.cluster().nworker_groups(), job.cluster().max_staleness(), job.warmup_steps()) {
  WorkerPlace place;
  place.threads = threads;
  place.workers = job.cluster().nworkers_per_group();
  place.groups = job.cluster().nworker_groups();
  for (place.group = 0; place.group < place.groups; ++place.group) {
    if (!served_) local_.push_back(std::make_unique<LocalUpdates>(job, &replica_));
    SliceUpdates* const updates =
        served_ ? static_cast<SliceUpdates*>(&served_->updates(place.group)) : local_.back().get();
    teams_.push_back(std::make_unique<WorkerTeam>(job, place, &replica_, updates));
  }
}

JobMemory WorkerGroups::memory() const {
  JobMemory sum;
  for (const auto& team : teams_) sum.Add(team->memory());
  if (!served_) return sum;
  const JobMemory first = teams_[0]->memory();  // each group has such values
  sum.params += first.params * (size() - 1);
  sum.updater += served_->bytes(first.params, static_cast<int64_t>(replica_.state_count()));
  return sum;
}

void WorkerGroups::Allocate() {
  memory().Check();
  for (const auto& team : teams_) team->Allocate(served_ || team == teams_[0] ? nullptr : &lead());
  if (served_) replica_.Bind(lead().table(), lead().trained());
}

std::vector<int64_t> WorkerGroups::steps() const {
  std::vector<int64_t> steps;
  for (int group = 0; group < size(); ++group) steps.push_back(gate_.steps(group));
  return steps;
}

void WorkerGroups::Start() {
  SpreadValues();
  if (!served_) return;
  std::vector<std::vector<float*>> values;
  for (const auto& team : teams_) values.push_back(team->lead().TrainedValues());
  served_->Start(&replica_, lead().trained(), steps(), values);
}

void WorkerGroups::Collect() {
  if (served_) served_->Collect(&replica_);
}

void WorkerGroups::SpreadValues() {
  for (const auto& team : teams_) team->SpreadValues(&lead());
}

std::string WorkerGroups::Text() const {
  const int workers = teams_[0]->size();
  const std::string of = StrCat(workers, workers == 1 ? " worker" : " workers");
  return size() == 1 ? of : StrCat(size(), " groups of ", of);
}

int64_t WorkerGroups::CountSkips() {
  int64_t count = 0;
  for (const auto& team : teams_) count += team->lead().updates().skips();
  return count;
}

int64_t WorkerGroups::CountBadRecords(int group) {
  std::map<std::string, std::set<int64_t>> all;
  for (Trainer* trainer : teams_[group]->trainers())
    for (const auto& [layer, records] : trainer->net().BadRecords())
      all[layer].insert(records.begin(), records.end());
  int64_t count = 0;
  for (const auto& [layer, records] : all) count += static_cast<int64_t>(records.size());
  return count;
}

}  // namespace singa
