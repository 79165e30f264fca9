// JobProcess connects this process to the others of its job. Rank 0 leads, the others follow. It
// hands messages from other processes to its parts. If servers have the values, its
// ServedCluster carries gradients and values.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <memory>

#include "cluster/process/follower.h"
#include "cluster/process/group_peers.h"
#include "cluster/process/job_part.h"
#include "cluster/process/leader.h"
#include "cluster/process/served_cluster.h"
#include "cluster/process/stub.h"

namespace singa {

// A JobProcess calls these, on any thread, unless they are empty.
struct JobCalls {
  // At rank 0: another process was asked to end.
  std::function<void()> asked = {};
  // The job cannot go on. Called once, before the threads that wait here throw.
  std::function<void(const std::exception_ptr&)> failed = {};
};

class JobProcess final : private StubEvents {
 public:
  // Starts to listen. `clock` must outlive it; null: the steady clock. Throws Error; a ConfigError
  // is relative to the JobProto.
  JobProcess(const JobProto& job, const ProcessPlace& place, JobCalls calls = {},
             const Clock* clock = nullptr);
  ~JobProcess() override;

  const JobPart& part() const { return part_; }
  // The stub opens, meets the others, and counts bytes. Messages of others come from Stub::Open on.
  Stub& stub() { return stub_; }
  ServedCluster& cluster() { return *cluster_; }
  // Returns the deadline of threads that wait here for other processes.
  const ProgressDeadline& deadline() const { return deadline_; }
  ControlChannel& control() { return control_; }
  // Null: another process is rank 0.
  Leader* leader() { return leader_.get(); }
  // Null: this process is rank 0.
  Follower* follower() { return follower_.get(); }
  GroupPeers& peers() { return peers_; }

  // Sets the progress count of the workers and servers here, which beats tell the others. Any
  // thread may call it.
  void NoteProgress(uint64_t count);

  // Ends the job here: threads that wait for other processes or for values throw `error`. Any
  // thread may call it.
  void Fail(std::exception_ptr error) { OnLost(std::move(error)); }
  // Ends these waits by `error` when the job has ended as it should: JobCalls::failed is not
  // called.
  void EndWaits(std::exception_ptr error);
  // Ends the job at rank 0, and tells all others.
  void End();
  // Tells all others that the job ends, and why. Returns true if nobody needs this process to
  // show the error: all heard it, or another process has ended the job.
  bool StopOthers(const Error& error);
  // Waits until all others have the messages sent to them, and this process has acknowledged those
  // that came; for a few seconds at most.
  void Drain() { stub_.Drain(kDrainSeconds); }
  // Lets the process that has ended the job know that this one has heard.
  void Acknowledge() { stub_.AcknowledgeEnd(kAcknowledgeSeconds); }

 private:
  static constexpr double kDrainSeconds = 5, kStopSeconds = 3, kAcknowledgeSeconds = 1;
  static constexpr double kStopEarlySeconds = 0.7;  // before all have met

  void OnMessage(int rank, Message message) override;
  void OnProgress(int) override { deadline_.Renew(); }
  bool OnReplaced(int rank) override;
  void OnLost(std::exception_ptr error) override;
  void OnControl(int rank, const Message& message);

  const JobPart part_;
  const JobCalls calls_;
  const SteadyClock steady_;
  ProgressDeadline deadline_;
  std::atomic<bool> failing_{false};  // calls_.failed was called, or is being called
  Stub stub_;
  ControlChannel control_;
  const std::unique_ptr<Leader> leader_;
  const std::unique_ptr<Follower> follower_;
  GroupPeers peers_;
  std::unique_ptr<ServedCluster> cluster_;
};

}  // namespace singa
