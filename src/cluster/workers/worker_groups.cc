#include "cluster/workers/worker_groups.h"

#include <map>
#include <set>

#include "base/system/failpoint.h"
#include "base/text/counted.h"
#include "base/thread/thread.h"
#include "singa/base/error.h"
#include "singa/base/str_cat.h"

namespace singa {

namespace {

// Returns this process's plan. Process 0 has asked about the GPUs before. It tells the others of a
// group of GPUs or of memory, or of neither if servers have the values.
SyncPlan PlanOf(const JobProto& job, const JobProcess* process, bool has_memory, bool has_gpus) {
  const std::string why_not_gpus = has_gpus ? "" : "the host adds the gradients up";
  if (!process) return PlanSync(job, {.in_one_process = true, .why_not_gpus = why_not_gpus});
  if (process->part().rank() == 0) return process->part().Plan(why_not_gpus);
  return process->part().Plan(why_not_gpus, has_gpus     ? SyncMode::kAllReduce
                                            : has_memory ? SyncMode::kHostMemory
                                                         : SyncMode::kServers);
}

}  // namespace

WorkerGroups::WorkerGroups(const JobProto& job, int threads, JobProcess* process,
                           std::unique_ptr<HostMemory> shared,
                           const std::optional<GpuGroupId>& gpus)
    : process_(process),
      stall_timeout_(job.cluster().stall_timeout()),
      own_deadline_(LongestWait(job.cluster())),
      job_groups_(job.cluster().nworker_groups()),
      job_workers_(job.cluster().nworkers_per_group()),
      together_(job_groups_ > 1 && job.cluster().has_user_consistency()),
      paced_(job.cluster().max_staleness() > 0 || job.warmup_steps() > 0),
      plan_(PlanOf(job, process, shared != nullptr, gpus.has_value())),
      host_memory_(std::move(shared)),
      replica_(job),
      own_(!process && plan_.mode == SyncMode::kServers
               ? std::make_unique<ServedCluster>(job, plan_.topology, 0, nullptr, &own_deadline_)
               : nullptr),
      served_(process && plan_.mode == SyncMode::kServers ? &process->cluster() : own_.get()),
      gate_(job_groups_, together_ ? 0 : job.cluster().max_staleness(), job.warmup_steps(),
            &deadline()),
      most_steps_(job.train_epochs() > 0 ? kMostSteps : job.train_steps()) {
  WorkerPlace place;
  place.threads = threads;
  place.workers = job_workers_;
  place.groups = job_groups_;
  place.shares_host = shares_host();
  if (gpus) place.gpus = {.id = *gpus, .members = job_workers_, .deadline = &deadline()};
  if (process) {
    place.cores = process->part().cores();
    for (const auto& [group, workers] : process->part().groups()) {
      place.group = group;
      place.first = workers.first;
      MakeTeam(job, place, workers.size());
      place.first_here += workers.size();
    }
    if (!HasWorkers()) {  // only a net tells which params there are
      place.first = place.workers - 1;
      place.group = place.groups - 1;
      MakeTeam(job, place, 1);
    }
    process->peers().Listen(this);
  } else {
    for (; place.group < place.groups; ++place.group, place.first_here += place.workers)
      MakeTeam(job, place, place.workers);
  }
  int workers = 0;
  for (const auto& [group, team] : teams_) workers += team->size();
  CheckThreads(workers * (threads - 1));  // OpenMP makes these threads in the first step
}

void WorkerGroups::MakeTeam(const JobProto& job, WorkerPlace place, int workers) {
  SliceUpdates* updates = nullptr;
  if (served_ && HasWorkers()) {
    updates = &served_->updates(place.group);
  } else {
    local_.push_back(std::make_unique<ReplicaUpdates>(job, &replica_));
    updates = local_.back().get();
  }
  const bool adds_between = process_ && !shares_host() && HasWorkers();
  Collective* const between = adds_between ? &process_->cluster().between(place.group) : nullptr;
  teams_[place.group] = std::make_unique<WorkerTeam>(job, place, plan_.gpus, workers, &replica_,
                                                     updates, between, &deadline());
}

// Closes the servers first, since they and their messages write to the params of the teams.
WorkerGroups::~WorkerGroups() {
  watch_.reset();
  if (process_) process_->peers().Forget();
  if (served_) served_->Close();
}

int WorkerGroups::FirstProcess(int group) const {
  return process_ ? process_->part().topology().ProcessesOf(group).first : 0;
}

std::vector<int> WorkerGroups::here() const {
  std::vector<int> groups;
  for (const auto& [group, team] : teams_)
    if (HasWorkers()) groups.push_back(group);
  return groups;
}

void WorkerGroups::OnFailure() {
  gate_.Stop();
  if (plan_.mode != SyncMode::kHostMemory && plan_.mode != SyncMode::kAllReduce) return;
  for (const auto& [group, team] : teams_) team->Stop();
}

void WorkerGroups::WatchStalls(std::function<void(const std::string&)> stalled) {
  if (stall_timeout_ == 0) return;
  StallDetector finder(stall_timeout_ * kSecond);
  const std::string where = process_ ? StrCat(" in process ", process_->part().rank()) : "";
  for (const int group : here())
    for (Trainer* trainer : team(group).trainers())
      finder.Add(StrCat("worker ", trainer->worker(), " of group ", group, where),
                 &trainer->mark());
  if (served_)
    for (const auto& [server, mark] : served_->marks())
      finder.Add(StrCat("server ", server.second, " of group ", server.first, where), &mark);
  const auto went_on = [this](uint64_t count) {
    own_deadline_.Renew();
    if (process_) process_->NoteProgress(count);
  };
  watch_.emplace(std::move(finder), Watchdog::Calls{went_on, std::move(stalled)});
}

std::vector<int64_t> WorkerGroups::steps() const {
  std::vector<int64_t> steps;
  for (int group = 0; group < size(); ++group) steps.push_back(gate_.steps(group));
  return steps;
}

void WorkerGroups::Connect() {
  if (HasWorkers()) BroadcastValues();
  std::vector<std::vector<float*>> values;
  for (const auto& [group, team] : teams_)
    if (HasWorkers()) values.push_back(team->lead().TrainedValues());
  if (served_) served_->Connect(lead().table(), lead().trained(), steps(), values);
}

void WorkerGroups::Grant(int64_t steps) {
  if (together_) gate_.SetLimit(steps);
}

void WorkerGroups::Fail(const std::exception_ptr& error) {
  gate_.Stop();
  if (process_)
    process_->Fail(error);
  else if (own_)
    own_->Fail(error);
}

void WorkerGroups::SendHome() {
  gate_.Stop();
  if (!together_) return;  // no group waits for another within a step
  const auto ended = std::make_exception_ptr(ToldError(kExitOk, "the job has ended"));
  if (process_)
    process_->SendHome(ended);
  else
    own_->Fail(ended);
}

void WorkerGroups::Start() {
  Grant(gate_.steps(0));
  for (const int group : here()) {
    gate_.Here(group);
    if (group > 0 && !Leads(group)) gate_.Follow(group);
  }
  Connect();
  if (process_ && process_->leader()) process_->leader()->AwaitReady();
  if (process_ && process_->follower()) process_->follower()->Ready();
  SINGA_FAILPOINT("group_begins");
  if (!served_) return;
  served_->Fill(replica_);
  if (process_ && process_->leader()) process_->leader()->AwaitFilled();
  if (process_ && process_->follower()) process_->follower()->TellFilled();
}

// The servers' values include the steps since the checkpoint.
void WorkerGroups::TakePlace() {
  constexpr int64_t kMost = int64_t{1} << 31;  // steps
  Connect();
  process_->follower()->AskForSteps();
  for (const auto& [group, team] : teams_) {
    const int64_t before = gate_.steps(group), next = served_->updates(group).TakeOver();
    if (next - before > kMost)
      throw PeerError(StrCat("servers say that worker group ", group, " has done ", next,
                             " steps, ", before, " of them before the last checkpoint"));
    for (Trainer* trainer : team->trainers())
      if (!trainer->SkipBatches(next - before))
        throw PeerError(StrCat("worker group ", group, " cannot go on at step ", next,
                               ": an input layer does not say its Stride"));
    gate_.SetSteps(group, next);
  }
}

void WorkerGroups::AllowSteps(int group, int64_t steps) {
  if (process_) process_->peers().AllowSteps(group, steps);
}

// Another process is not trusted: too many steps are refused.
void WorkerGroups::OnAllowed(int group, int64_t steps) {
  if (steps <= most_steps_)
    gate_.AllowSteps(group, steps);
  else
    ++refused_;
}

void WorkerGroups::NoteSteps(int group, int64_t steps) {
  gate_.SetSteps(group, steps);
  if (process_ && paced_ && size() > 1 && Leads(group)) process_->peers().NoteSteps(group, steps);
}

void WorkerGroups::Leave(int group) {
  gate_.Leave(group);
  if (process_ && size() > 1 && Leads(group)) process_->peers().NoteLeft(group);
}

void WorkerGroups::OnRow(const ControlMessage::Row& row) {
  const std::lock_guard lock(rows_mutex_);
  if (take_row_) take_row_(row);
}

std::vector<ProcessShare> WorkerGroups::AddMetricsUp(int group, MetricSums* sums,
                                                     ProcessShare own) {
  if (!process_) return {own};
  const Range processes = process_->part().topology().ProcessesOf(group);
  std::vector<ProcessShare> shares(processes.size());
  shares[process_->part().rank() - processes.first] = own;
  std::vector<double*> places;
  for (ProcessShare& share : shares)
    for (double* number : share.Numbers()) places.push_back(number);
  std::vector<double> parts;
  size_t metrics = 0;
  for (const std::vector<double>& node : team(group).MetricsOfNodes()) {
    const bool first = parts.empty();  // the process's share counts once, with its first node
    metrics = node.size();
    parts.insert(parts.end(), node.begin(), node.end());
    for (const double* place : places) parts.push_back(first ? *place : 0);
  }
  std::vector<double> all(metrics + places.size());
  LinkCollective& between = process_->cluster().between(group);
  between.Await(between.StartAllReduce(parts, std::span(all)));
  sums->SetNumbers(std::span(all).first(metrics));
  for (size_t i = 0; i < places.size(); ++i) *places[i] = all[metrics + i];
  return shares;
}

StalenessCounts WorkerGroups::TakeStaleness(int group) {
  return served_ ? served_->updates(group).TakeStaleness() : StalenessCounts();
}

void WorkerGroups::BroadcastValues() {
  for (const auto& [group, team] : teams_) team->BroadcastValues(&lead());
}

std::string WorkerGroups::WhyHostUpdates() {
  for (const auto& [group, team] : teams_)
    for (const Trainer* trainer : team->trainers())
      if (!trainer->updates_on_device()) return trainer->WhyHostUpdates();
  return "";
}

std::string WorkerGroups::WorkersText() const {
  const std::string of = Counted(job_workers_, "worker");
  return size() == 1 ? of : StrCat(size(), " groups of ", of);
}

std::string WorkerGroups::Text() const {
  const std::string groups = WorkersText();
  return process_ ? StrCat(Counted(process_->part().processes(), "process", "processes"), " with ",
                           groups)
                  : groups;
}

int64_t WorkerGroups::CountSkips() {
  int64_t count = 0;
  for (const auto& [group, team] : teams_) count += team->lead().updates().skips();
  return count;
}

int64_t WorkerGroups::CountBadRecords(int group) {
  std::map<std::string, std::set<int64_t>> all;
  for (Trainer* trainer : teams_.at(group)->trainers())
    for (const auto& [layer, records] : trainer->net().BadRecords())
      all[layer].insert(records.begin(), records.end());
  int64_t count = 0;
  for (const auto& [layer, records] : all) count += static_cast<int64_t>(records.size());
  return count;
}

}  // namespace singa
