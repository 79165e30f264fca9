#include "cluster/workers/worker_team.h"

#include <algorithm>

#include "base/thread/omp_threads.h"
#include "base/thread/spin_wait.h"
#include "base/thread/stopped.h"
#include "base/thread/thread.h"
#include "nn/input/await_records.h"

namespace singa {
namespace {

bool IsStopped(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const Stopped&) {
    return true;
  } catch (...) {
    return false;
  }
}

// Returns the team's workers among those of their group.
SumNode Here(const WorkerPlace& place, int workers) { return {place.first, place.first + workers}; }

}  // namespace

WorkerTeam::WorkerTeam(const JobProto& job, const WorkerPlace& place, const std::vector<int>& gpus,
                       int workers, Replica* replica, SliceUpdates* updates, Collective* between,
                       const ProgressDeadline* deadline)
    : place_(place), updates_(updates), between_(between), deadline_(deadline), errors_(workers) {
  WorkerPlace own = place;
  own.here = workers;
  if (own.gpus) own.gpus->stopped = &stopped_;
  for (own.worker = place.first; own.worker < place.first + workers; ++own.worker) {
    const int here = place.first_here + own.worker - place.first;
    own.gpu = here < std::ssize(gpus) ? gpus[here] : -1;
    if (own.gpus) own.gpus->member = own.worker;
    if (own.gpus) own.gpus->over_processes = workers < own.gpus->members;
    trainers_.push_back(std::make_unique<Trainer>(job, own, replica, updates));
  }
  try {
    threads_.reserve(workers);
    for (int i = 1; i < workers; ++i) threads_.push_back(StartThread([this, i] { ThreadLoop(i); }));
  } catch (...) {
    EndThreads();
    throw;
  }
}

// All leave their group of GPUs at the same time: freeing memory of one may wait for the work of
// all.
WorkerTeam::~WorkerTeam() {
  RunEach([](Trainer& trainer) { trainer.LeaveGroup(); });
  EndThreads();
}

void WorkerTeam::EndThreads() {
  work_ = nullptr;
  ++turn_;
  FutexWakeAll(turn_);
  for (std::thread& thread : threads_) thread.join();
}

int64_t WorkerTeam::rows() const {
  const int64_t batch = trainers_[0]->model().net().batch(), workers = place_.workers;
  return batch * (place_.first + size()) / workers - batch * place_.first / workers;
}

std::vector<Trainer*> WorkerTeam::trainers() {
  std::vector<Trainer*> all;
  for (const auto& trainer : trainers_) all.push_back(trainer.get());
  return all;
}

JobMemory WorkerTeam::memory() const {
  JobMemory sum;
  for (const auto& trainer : trainers_) sum.Add(trainer->memory());
  return sum;
}

void WorkerTeam::Allocate(Trainer* lead, const GroupMemory* shared) {
  MakeReduction(shared);
  for (const auto& trainer : trainers_) {
    trainer->AllocateIn(reduction_.get(), shared, lead);
    lead = lead ? lead : trainer.get();
  }
}

void WorkerTeam::MakeReduction(const GroupMemory* shared) {
  const SumNode here = Here(place_, size());
  const MemoryGroup::Options options = {.ranks = shared ? SumNode{0, place_.workers} : here,
                                        .group = place_.workers,
                                        .here = size(),
                                        .between = between_,
                                        .deadline = deadline_};
  auto reduction = std::make_unique<GradientReduction>(lead().model().trained().table, updates_,
                                                       options, shared);
  const MutexLock lock(&stop_mutex_);
  reduction_ = std::move(reduction);
  if (stopped_) reduction_->group().Stop();
}

void WorkerTeam::Stop() {
  const MutexLock lock(&stop_mutex_);
  stopped_ = true;
  if (reduction_) reduction_->group().Stop();
}

void WorkerTeam::BroadcastValues(Trainer* lead) {
  for (const auto& trainer : trainers_) {
    for (const auto& param : trainer->model().params().params()) {
      const Tensor& value = lead->model().params().Find(param->name())->host();
      if (param->host().data() != value.data())
        std::copy_n(value.data(), param->size(), param->host().data());
    }
    trainer->path().MarkDeviceStale();
  }
}

void WorkerTeam::TrainStep(int64_t step) {
  ThrowFirstError();  // no step follows a failed one, which has left half of its sums
  RunEach([step](Trainer& trainer) { trainer.TrainStep(step); });
  ThrowFirstError();
}

void WorkerTeam::AwaitDevices() {
  for (const auto& trainer : trainers_) trainer->path().Await();
}

MetricSums WorkerTeam::SumMetrics() {
  const std::vector<std::vector<double>> nodes = MetricsOfNodes();
  std::vector<double> numbers = nodes[0];
  for (size_t node = 1; node < nodes.size(); ++node)
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] += nodes[node][i];
  MetricSums sums = lead().metrics();
  sums.SetNumbers(numbers);
  return sums;
}

std::vector<std::vector<double>> WorkerTeam::MetricsOfNodes() {
  std::vector<std::vector<double>> nodes;
  for (const SumNode& node : SumTree(place_.workers).NodesOf(Here(place_, size()))) {
    std::vector<std::vector<double>> of_workers;
    for (int w = node.first; w < node.last; ++w)
      of_workers.push_back(trainers_[w - place_.first]->metrics().Numbers());
    std::vector<double>& sum = nodes.emplace_back(of_workers[0].size());
    AddUpWorkers(
        node, [&](int w) { return of_workers[w - node.first].data(); },
        static_cast<int64_t>(sum.size()), sum.data());
  }
  return nodes;
}

bool WorkerTeam::AwaitRecords(const std::function<bool()>& stop) {
  return std::all_of(trainers_.begin(), trainers_.end(), [&](const auto& trainer) {
    return singa::AwaitRecords(trainer->model().ctx(), kTrain, stop, &trainer->model().net());
  });
}

void WorkerTeam::ResetMetrics() {
  for (const auto& trainer : trainers_) trainer->metrics().Reset();
}

double WorkerTeam::TakeWaitMs() {
  double longest = 0;
  for (const auto& trainer : trainers_)
    longest = std::max(longest, trainer->model().readers().TakeWaitMs());
  return longest;
}

void WorkerTeam::ThrowFirstError() const {
  std::exception_ptr first;
  for (const std::exception_ptr& error : errors_)
    if (error && (!first || IsStopped(first))) first = error;
  if (first) std::rethrow_exception(first);
}

void WorkerTeam::RunEach(const std::function<void(Trainer&)>& work) {
  work_ = &work;
  done_ = 0;
  if (!threads_.empty()) {
    ++turn_;
    FutexWakeAll(turn_);
  }
  RunOne(0);
  // The wait ends: each worker works, which the watchdog checks, or waits with a deadline, or is
  // stopped.
  for (uint32_t done = done_; done < threads_.size(); done = done_) SpinWait(done_, done, size());
}

// Runs the work for one worker. If it fails, the others stop, wherever they wait for it.
void WorkerTeam::RunOne(size_t i) {
  try {
    (*work_)(*trainers_[i]);
  } catch (...) {
    errors_[i] = std::current_exception();
    Stop();
    if (failed_ && !IsStopped(errors_[i])) failed_(errors_[i]);
  }
}

void WorkerTeam::ThreadLoop(size_t i) {
  SetOmpThreads(trainers_[i]->model().ctx().threads);
  for (uint32_t turn = 0;; ++turn) {
    SpinWait(turn_, turn, size());  // waits for work, as long as the team lives
    if (!work_) return;
    RunOne(i);
    ++done_;
    FutexWakeAll(done_);
  }
}

}  // namespace singa
