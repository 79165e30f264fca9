// BatchWorker computes the tasks of a BatchQueue in a thread of its own.
#pragma once

#include <cstdint>
#include <span>
#include <thread>
#include <vector>

#include "driver/serve/batch_queue.h"
#include "driver/serve/serve_counters.h"
#include "singa/driver/model.h"

namespace singa {

class BatchWorker {
 public:
  // All must outlive it. Throws what a Session does.
  BatchWorker(const Model& model, const SessionOptions& session, BatchQueue* queue,
              ServeCounters* counters);
  // REQUIRES: the queue has ended. Waits until its tasks are computed.
  ~BatchWorker();
  BatchWorker(const BatchWorker&) = delete;
  BatchWorker& operator=(const BatchWorker&) = delete;

 private:
  // Computes rows of zeros in each size of batch, so that no request waits for memory.
  void WarmUp(int64_t max_batch);
  void Run();
  void Compute(const BatchTasks& tasks);
  void ComputeAlone(BatchTask* task);
  void RunSession(std::span<const float> rows, std::span<float> scores);

  const Model& model_;
  Session session_;
  BatchQueue& queue_;
  ServeCounters& counters_;
  std::vector<float> rows_, scores_;  // of several tasks
  std::thread thread_;
};

}  // namespace singa
