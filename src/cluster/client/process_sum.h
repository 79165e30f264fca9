// ProcessSum: adds numbers up over the workers of a group that has several processes, in the order
// of its SumTree, by way of the first process.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <map>
#include <mutex>
#include <span>
#include <vector>

#include "base/thread/progress_deadline.h"
#include "cluster/protocol/topology.h"
#include "comm/message/message.h"
#include "math/reduction/sum_tree.h"
#include "train/reduce/node_sums.h"

namespace singa {

class ProcessSum final : public NodeSums {
 public:
  // Of `process`, which has workers of `group`. All outlive it.
  ProcessSum(const Topology& topology, int group, int process, Outbox* out,
             const ProgressDeadline* deadline);

  // One thread of each process calls these. They throw what Fail was given, PeerError where
  // another process has another number of values, Error, kExitStalled, where one does not come.
  void Sum(std::span<const double> parts, std::span<double> sum) override;
  // Numbers that each process has one of, not each worker.
  void SumOfProcesses(std::span<double> values);

  // What follows any thread may call.
  // A kSum or kSummed from process `rank`, which is sure. What does not fit is dropped.
  void OnMessage(int rank, const WireMessage& head);
  // Every Sum throws `error` from now on.
  void Fail(std::exception_ptr error);

 private:
  void SumRun(std::span<const double> parts, std::span<double> sum);
  void AddUpAll(std::span<const double> parts, std::span<double> sum);
  void Send(WireMessage::Type type, int process, std::span<const double> values);
  void Await(std::unique_lock<std::mutex>* lock, size_t messages);

  const int group_, process_, workers_;
  const Range processes_;
  std::vector<std::vector<SumNode>> nodes_;  // of each process
  size_t most_nodes_ = 1;                    // of a process
  Outbox* const out_;
  const ProgressDeadline& deadline_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  int64_t turn_ = 0;                            // sums so far
  std::map<int, std::vector<double>> arrived_;  // of this turn, by process
  std::exception_ptr failure_;
};

}  // namespace singa
