#include "cluster/worker_groups.h"

#include <algorithm>
#include <map>
#include <set>

#include "singa/base/str_cat.h"

namespace singa {

bool HasServers(const ClusterProto& cluster) {
  return cluster.nserver_groups() > 1 || !cluster.share_memory();
}

WorkerGroups::WorkerGroups(const JobProto& job, int threads, JobProcess* process)
    : process_(process),
      replica_(job),
      own_(!process && HasServers(job.cluster())
               ? std::make_unique<ServedCluster>(InOneProcess(job), 0, nullptr)
               : nullptr),
      served_(process ? &process->cluster() : own_.get()),
      gate_(job.cluster().nworker_groups(), job.cluster().max_staleness(), job.warmup_steps()) {
  WorkerPlace place;
  place.threads = threads;
  place.workers = job.cluster().nworkers_per_group();
  place.groups = job.cluster().nworker_groups();
  if (process) {
    // Of servers alone, too: a net is what says which params there are.
    const Range here = process->workers();
    place.first = here.size() > 0 ? here.first : place.workers - 1;
    MakeTeam(job, place, std::max(1, here.size()));
    return;
  }
  for (place.group = 0; place.group < place.groups; ++place.group)
    MakeTeam(job, place, place.workers);
}

void WorkerGroups::MakeTeam(const JobProto& job, WorkerPlace place, int workers) {
  SliceUpdates* updates = nullptr;
  if (served_ && HasWorkers()) {
    updates = &served_->updates(place.group);
  } else {
    local_.push_back(std::make_unique<LocalUpdates>(job, &replica_));
    updates = local_.back().get();
  }
  GroupSum* const between = process_ && HasWorkers() ? &served_->between(place.group) : nullptr;
  teams_.push_back(
      std::make_unique<WorkerTeam>(job, place, workers, &replica_, updates, between));
}

// Servers, and what they send, write to the params of teams.
WorkerGroups::~WorkerGroups() {
  if (served_) served_->Close();
}

JobMemory WorkerGroups::memory() const {
  const JobMemory first = teams_[0]->memory();  // each group has such values
  JobMemory sum;
  for (const auto& team : teams_)
    if (HasWorkers()) sum.Add(team->memory());
  if (!served_) return sum;
  sum.params += first.params * (size() - 1);
  sum.updater += served_->bytes(first.params, static_cast<int64_t>(replica_.state_count()));
  return sum;
}

void WorkerGroups::Allocate() {
  memory().Check();
  if (!HasWorkers()) return;
  for (const auto& team : teams_) team->Allocate(served_ || team == teams_[0] ? nullptr : &lead());
  if (served_) replica_.Bind(lead().table(), lead().trained());
}

std::vector<int64_t> WorkerGroups::steps() const {
  std::vector<int64_t> steps;
  for (int group = 0; group < size(); ++group) steps.push_back(gate_.steps(group));
  return steps;
}

void WorkerGroups::Start() {
  if (HasWorkers()) SpreadValues();
  if (!served_) return;
  std::vector<std::vector<float*>> values;
  for (const auto& team : teams_)
    if (HasWorkers()) values.push_back(team->lead().TrainedValues());
  served_->Connect(lead().table(), lead().trained(), steps(), values);
  if (process_ && process_->rank() == 0) process_->AwaitReady();
  if (process_ && process_->rank() > 0) process_->Ready();
  served_->Fill(replica_);
}

void WorkerGroups::Collect(int64_t steps) {
  if (served_) served_->Collect(&replica_, steps);
}

std::vector<WorkerRows> WorkerGroups::CollectRows(int64_t steps) {
  std::vector<WorkerRows> all;
  if (!process_) return all;
  for (const std::string& text : process_->CollectRows(steps)) {
    if (!all.emplace_back().ParseFromString(text))
      throw PeerError("what a process gave for a checkpoint cannot be read");
    AddMetrics(all.back(), &team(0).metrics());
  }
  return all;
}

std::vector<ProcessShare> WorkerGroups::AddMetricsUp(int group, ProcessShare own) {
  if (!process_) return {own};
  std::vector<MetricSums::Entry>& entries = team(group).metrics().entries();
  std::vector<ProcessShare> shares(served_->topology().ProcessesOf(group).size());
  shares[process_->rank()] = own;
  std::vector<double*> places;
  for (MetricSums::Entry& entry : entries) places.insert(places.end(), {&entry.sum, &entry.weight});
  for (ProcessShare& share : shares)
    for (double* number : share.Numbers()) places.push_back(number);
  std::vector<double> numbers;
  for (const double* place : places) numbers.push_back(*place);
  served_->between(group).Sum(numbers);
  for (size_t i = 0; i < places.size(); ++i) *places[i] = numbers[i];
  return shares;
}

void WorkerGroups::SpreadValues() {
  for (const auto& team : teams_) team->SpreadValues(&lead());
}

std::string WorkerGroups::Text() const {
  const int workers = teams_[0]->size();
  const std::string of = StrCat(workers, workers == 1 ? " worker" : " workers");
  if (process_)
    return StrCat(process_->processes(), " processes with ",
                  process_->job().cluster().nworkers_per_group(), " workers");
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
