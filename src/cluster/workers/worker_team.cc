#include "cluster/workers/worker_team.h"

#include <algorithm>

#include "nn/connection/bridge.h"
#include "nn/input/await_records.h"

namespace singa {
namespace {

// Makes the trainers of a team. `stopped` is set when their GPUs are to wait for each other no
// more.
std::vector<std::unique_ptr<Trainer>> TrainersOf(const JobProto& job, const TeamSetup& setup,
                                                 const std::atomic<bool>* stopped) {
  WorkerPlace own = setup.place;
  own.here = setup.workers;
  if (own.gpus) own.gpus->stopped = stopped;
  const int first = own.first;
  std::vector<std::unique_ptr<Trainer>> trainers;
  for (own.worker = first; own.worker < first + setup.workers; ++own.worker) {
    const int here = own.first_here + own.worker - first;
    own.gpu = here < std::ssize(setup.gpus) ? setup.gpus[here] : -1;
    if (own.gpus) own.gpus->member = own.worker;
    if (!setup.senders.empty()) own.sender = setup.senders[own.worker - first];
    if (own.gpus) own.gpus->over_processes = setup.workers < own.gpus->members;
    trainers.push_back(std::make_unique<Trainer>(job, own, setup.replica, setup.updates));
  }
  return trainers;
}

std::vector<StepUndo> UndoOf(const std::vector<std::unique_ptr<Trainer>>& trainers) {
  std::vector<StepUndo> undo;
  undo.reserve(trainers.size());
  for (const auto& trainer : trainers) undo.emplace_back(trainer.get());
  return undo;
}

}  // namespace

WorkerTeam::WorkerTeam(const JobProto& job, const TeamSetup& setup)
    : place_(setup.place),
      updates_(setup.updates),
      between_(setup.between),
      link_(setup.link),
      deadline_(setup.deadline),
      trainers_(TrainersOf(job, setup, &stopped_)),
      undo_(UndoOf(trainers_)),
      threads_(setup.workers, setup.place.threads, {[this] { Stop(); }, setup.failed}) {}

// All leave their group of GPUs at the same time: freeing memory of one may wait for the work of
// all.
WorkerTeam::~WorkerTeam() {
  threads_.Run([this](size_t i) { trainers_[i]->LeaveGroup(); });
}

int64_t WorkerTeam::rows() const {
  int64_t rows = 0;
  for (const auto& trainer : trainers_) rows += trainer->model().net().rows();
  return rows;
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
  const RegionSizes sizes = SizesOfBridges(this->lead().model().net().nodes(), place_.workers);
  if (sizes.tags > 0 && !place_.gpus) regions_.emplace(sizes, shared, link_, &reduction_->group());
  for (const auto& trainer : trainers_) {
    RegionExchange* const exchange = regions_ ? regions_->Add(&trainer->model()) : nullptr;
    trainer->AllocateIn(reduction_.get(), exchange, shared, lead);
    lead = lead ? lead : trainer.get();
  }
}

void WorkerTeam::MakeReduction(const GroupMemory* shared) {
  const SumNode here = {place_.first, place_.first + size()};
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

bool WorkerTeam::may_abandon() const {
  return std::ranges::all_of(trainers_, [](const auto& trainer) { return trainer->may_abandon(); });
}

bool WorkerTeam::TrainStep(int64_t step, const std::function<bool()>& stop) {
  if (!stop || !may_abandon()) {
    TrainStep([this, step](size_t i) { trainers_[i]->TrainStep(step); });
    return true;
  }
  BatchGate gate(stop);
  std::atomic<bool> done{true};
  TrainStep([&](size_t i) {
    undo_[i].Keep();
    if (trainers_[i]->TrainStep(step, &gate)) return;
    undo_[i].Restore();
    done = false;
  });
  return done;
}

void WorkerTeam::TrainStep(const std::function<void(size_t)>& train) {
  threads_.ThrowFirstError();  // no step follows a failed one, which has left half of its sums
  threads_.Run(train);
  threads_.ThrowFirstError();
}

void WorkerTeam::AwaitDevices() {
  for (const auto& trainer : trainers_) trainer->path().Await();
}

bool WorkerTeam::AwaitRecords(const std::function<bool()>& stop) {
  return std::all_of(trainers_.begin(), trainers_.end(), [&](const auto& trainer) {
    WorkerModel& model = trainer->model();
    return singa::AwaitRecords(model.ctx(), kTrain, stop, &model.net());
  });
}

}  // namespace singa
