// WorkerTeam runs the workers of one group in one process: their threads and trainers. Member 0 is
// the caller's thread and leads: it does work that is done once. In the job's first group it also
// has the evaluation nets.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/thread/mutex.h"
#include "train/trainer/trainer.h"

namespace singa {

class WorkerTeam {
 public:
  // Makes workers [place.first, place.first + workers) of group `place.group`, of `place.threads`
  // threads each. `place.gpus`, if set, names the group that their GPUs join. They hand gradients
  // to `updates`; checkpoints take values from `replica`; `between`, if not null, adds up over the
  // group's processes; `deadline` limits waits for other workers. All must outlive the team. Throws
  // ConfigError relative to the JobProto.
  WorkerTeam(const JobProto& job, const WorkerPlace& place, const std::vector<int>& gpus,
             int workers, Replica* replica, SliceUpdates* updates, Collective* between,
             const ProgressDeadline* deadline);
  ~WorkerTeam();
  WorkerTeam(const WorkerTeam&) = delete;
  WorkerTeam& operator=(const WorkerTeam&) = delete;

  int size() const { return static_cast<int>(trainers_.size()); }
  // Returns these workers' rows of each batch of the group.
  int64_t rows() const;
  Trainer& lead() { return *trainers_[0]; }
  std::vector<Trainer*> trainers();
  JobMemory memory() const;

  // Allocates everything. `lead`: a trainer of another team, whose memory of values this team
  // shares; or null.
  // `shared`, if not null: the memory that the group shares with other processes of this host.
  void Allocate(Trainer* lead = nullptr, const GroupMemory* shared = nullptr);
  // Copies the values of `lead`, which were set, to all workers that have copies.
  void BroadcastValues(Trainer* lead);
  // Makes each worker compute its part of batch `step`; returns when all workers have handed
  // out their updates. Throws the first worker's error; the team is of no use then.
  void TrainStep(int64_t step);
  // Waits for the records of all workers for the next step (nn/input/await_records.h).
  bool AwaitRecords(const std::function<bool()>& stop);
  // Blocks until devices have done all steps. Throws the devices' errors.
  void AwaitDevices();
  // Adds the metrics of the workers, over the steps since ResetMetrics, in the order of the group's
  // SumTree. Each worker keeps its own metrics. Waits for devices.
  MetricSums SumMetrics();
  // Returns MetricSums::Numbers for each node of the tree that these workers make up: the metrics
  // before the sum over nodes.
  std::vector<std::vector<double>> MetricsOfNodes();
  void ResetMetrics();
  // Returns the milliseconds, of all workers together, that they waited for each other since the
  // last call.
  double TakeSyncWaitMs() { return 1e-6 * static_cast<double>(reduction_->group().TakeWait()); }
  // Sets the function to call with a worker's error in a step, while others may still be in the
  // step. REQUIRES: no step has begun.
  void OnFailure(std::function<void(const std::exception_ptr&)> failed) {
    failed_ = std::move(failed);
  }
  // Makes workers that wait within a step throw Stopped. Any thread may call it.
  void Stop();
  // Returns the longest time, in milliseconds, that a worker waited for records since the last
  // call.
  double TakeWaitMs();

 private:
  void MakeReduction(const GroupMemory* shared);
  // Throws the first worker's error, if any has failed; an error other than Stopped first.
  void ThrowFirstError() const;
  void RunEach(const std::function<void(Trainer&)>& work);  // keeps errors
  void RunOne(size_t i);
  void ThreadLoop(size_t i);
  void EndThreads();

  const WorkerPlace place_;  // the place of the first worker
  SliceUpdates* const updates_;
  Collective* const between_;  // null: the group has no other processes to reach
  const ProgressDeadline* const deadline_;
  std::atomic<bool> stopped_{false};
  Mutex stop_mutex_;                              // one of Stop and MakeReduction at a time
  std::unique_ptr<GradientReduction> reduction_;  // null: nothing is allocated yet
  std::vector<std::unique_ptr<Trainer>> trainers_;

  std::function<void(const std::exception_ptr&)> failed_;
  const std::function<void(Trainer&)>* work_ = nullptr;  // null: the threads end
  std::atomic<uint32_t> turn_{0};                        // number of runs so far
  std::atomic<uint32_t> done_{0};                        // threads that have done the last run
  std::vector<std::exception_ptr> errors_;               // by worker
  std::vector<std::thread> threads_;                     // last: they use all of the above
};

}  // namespace singa
