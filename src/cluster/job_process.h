// JobProcess: this process among the several of its job. Rank 0 leads: between steps it says what all
// do next; the others follow. Gradients and values go by servers (served_cluster.h).
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "cluster/served_cluster.h"
#include "cluster/stub.h"

namespace singa {

// As many as the job has; 1 where several worker groups have to be threads of one process. Throws
// ConfigError relative to the JobProto.
int ProcessesOf(const JobProto& job);

class JobProcess final : private StubEvents {
 public:
  // What rank 0 tells the others, in the order of being told.
  struct Order {
    Control what = kNoControl;
    int64_t step = 0;
    std::string text;
  };

  // Listens. Throws Error; a ConfigError is relative to the JobProto.
  JobProcess(const JobProto& job, const ProcessPlace& place);
  ~JobProcess();

  // As its processes run it.
  const JobProto& job() const { return job_; }
  int rank() const { return rank_; }
  int processes() const { return cluster_->topology().processes(); }
  // Of the one worker group, those that are here.
  Range workers() const;
  ServedCluster& cluster() { return *cluster_; }
  const Endpoint& endpoint() const { return stub_.endpoint(); }
  int64_t bytes_sent() const { return stub_.bytes_sent(); }
  int64_t bytes_received() const { return stub_.bytes_received(); }

  // Finds the other processes. Throws PeerError where one does not come in time.
  void Meet() { stub_.Meet(); }

  // What follows throws the PeerError, ToldError or DivergedError that ends the job.

  // Rank 0: training begins after `step` steps of `checkpoint`, "" for none.
  void Begin(int64_t step, const std::string& checkpoint);
  // Rank 0: until all are connected, who then know that.
  void AwaitReady();
  // Rank 0: steps before `steps` may be taken.
  void Grant(int64_t steps);
  // Rank 0: what each other process that has workers gives for a checkpoint after `step` steps.
  std::vector<std::string> CollectRows(int64_t step);
  // Rank 0: the job is done.
  void End();

  // Others: what to do next.
  Order Next();
  // Others: this process is connected. Waits until all are.
  void Ready();
  // Others: the answer to kCollect.
  void GiveRows(const std::string& rows);

  // Tells all others that the job ends, and why; false: some may not know.
  bool StopOthers(const Error& error);
  // Waits until all others have what was sent, and know what has arrived, or for a few seconds.
  void Drain() { stub_.Drain(kDrainSeconds); }

 private:
  static constexpr double kDrainSeconds = 5, kStopSeconds = 1;

  void OnMessage(int rank, Message message) override;
  void OnLost(std::exception_ptr error) override;
  void OnControl(int rank, Message message);
  void TakeRows(int rank, const Message& message);
  void Tell(int rank, Control what, int64_t step, const std::string& text = "");
  void TellAll(Control what, int64_t step, const std::string& text = "");
  void Await(std::unique_lock<std::mutex>* lock, const std::function<bool()>& done);

  const JobProto job_;
  const int rank_;
  SteadyClock clock_;
  const Topology topology_;
  Stub stub_;
  std::unique_ptr<ServedCluster> cluster_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::exception_ptr failure_;
  std::deque<Order> orders_;                // to this process
  std::set<int> ready_;                     // ranks
  std::map<int, std::string> rows_;         // by rank, so far
  std::set<int> gave_;                      // ranks whose rows are whole
};

}  // namespace singa
