// WorkerTeam: the threads of the workers of one group in one process, and their trainers. Member 0
// is the caller's thread, and leads: it alone has evaluation nets, and does what is done once.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/thread/mutex.h"
#include "train/trainer/trainer.h"

namespace singa {

class WorkerTeam {
 public:
  // Workers [place.first, place.first + workers) of group `place.group`, of `place.threads` threads
  // each; `place.gpus`, where there is one, says which group their GPUs join. They hand gradients
  // to `updates`; a checkpoint has its values from `replica`; `between`, where not null, adds up
  // over the group's processes; `deadline` bounds how long they wait for other workers. All outlive
  // the team. Throws ConfigError relative to the JobProto.
  WorkerTeam(const JobProto& job, const WorkerPlace& place, const std::vector<int>& gpus,
             int workers, Replica* replica, SliceUpdates* updates, Collective* between,
             const ProgressDeadline* deadline);
  ~WorkerTeam();
  WorkerTeam(const WorkerTeam&) = delete;
  WorkerTeam& operator=(const WorkerTeam&) = delete;

  int size() const { return static_cast<int>(trainers_.size()); }
  // Of each batch of the group, those that are these workers'.
  int64_t rows() const;
  Trainer& lead() { return *trainers_[0]; }
  std::vector<Trainer*> trainers();
  JobMemory memory() const;

  // Allocates everything. `lead`, where not null: whose values it trains, too; `shared`, likewise:
  // what its group shares with other processes of this host.
  void Allocate(Trainer* lead = nullptr, const GroupMemory* shared = nullptr);
  // After the values of `lead` were set: what the others have copies of.
  void BroadcastValues(Trainer* lead);
  // Each worker computes its part of batch `step`; returns when all updates are done. Throws what
  // the first of them threw, and is of no use then.
  void TrainStep(int64_t step);
  // Waits for the records of all workers for the next step (nn/input/await_records.h).
  bool AwaitRecords(const std::function<bool()>& stop);
  // Until devices have done all steps. Throws what went wrong in them.
  void AwaitDevices();
  // Adds the metrics of the workers, over the steps since ResetMetrics, in the order of the group's
  // SumTree. Each worker keeps its own metrics. Waits for devices.
  MetricSums SumMetrics();
  // MetricSums::Numbers for each node of the tree that these workers make up: the metrics before
  // the sum over nodes.
  std::vector<std::vector<double>> MetricsOfNodes();
  void ResetMetrics();
  // Milliseconds, of all workers together, that they waited for each other since the last call.
  double TakeSyncWaitMs() { return 1e-6 * static_cast<double>(reduction_->group().TakeWait()); }
  // Told of what a worker meets in a step, while others may still be in it. Before the first.
  void OnFailure(std::function<void(const std::exception_ptr&)> failed) { failed_ = failed; }
  // Whoever waits within a step throws Stopped. Any thread may call.
  void Stop();
  // The longest that a worker waited for records, in milliseconds, since the last call.
  double TakeWaitMs();

 private:
  void MakeReduction(const GroupMemory* shared);
  // Throws what the first of them threw, then or before.
  void RunAll(const std::function<void(Trainer&)>& work);
  void RunEach(const std::function<void(Trainer&)>& work);  // which keep what they throw
  void RunOne(size_t i);
  void ThreadLoop(size_t i);
  void EndThreads();

  const WorkerPlace place_;  // of the first
  SliceUpdates* const updates_;
  Collective* const between_;  // null: the group has no other processes to reach
  const ProgressDeadline* const deadline_;
  std::atomic<bool> stopped_{false};
  Mutex stop_mutex_;                              // one of Stop and MakeReduction at a time
  std::unique_ptr<GradientReduction> reduction_;  // null: nothing is allocated yet
  std::vector<std::unique_ptr<Trainer>> trainers_;

  std::function<void(const std::exception_ptr&)> failed_;
  const std::function<void(Trainer&)>* work_ = nullptr;  // null: the threads end
  std::atomic<uint32_t> turn_{0};                        // number of works so far
  std::atomic<uint32_t> done_{0};                        // threads that have done the last
  std::vector<std::exception_ptr> errors_;               // of each worker
  std::vector<std::thread> threads_;                     // last: they use all of the above
};

}  // namespace singa
