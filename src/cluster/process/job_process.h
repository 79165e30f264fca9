// JobProcess: this process among the several of its job. Rank 0 leads, the others follow. It hands
// what arrives from other processes to its parts. Gradients and values go by servers
// (served_cluster.h).
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
  // Rank 0: another process is asked to end.
  std::function<void()> asked = {};
  // The job cannot go on. Called once, before those who wait here throw.
  std::function<void(const std::exception_ptr&)> failed = {};
};

class JobProcess final : private StubEvents {
 public:
  // Listens. `clock` outlives it; null: the steady clock. Throws Error; a ConfigError is relative
  // to the JobProto.
  JobProcess(const JobProto& job, const ProcessPlace& place, JobCalls calls = {},
             const Clock* clock = nullptr);
  ~JobProcess();

  const JobPart& part() const { return part_; }
  // Opens, meets the others, and counts bytes. What is heard of others comes from Open on.
  Stub& stub() { return stub_; }
  ServedCluster& cluster() { return *cluster_; }
  // Threads that wait here for other processes give up by it.
  const ProgressDeadline& deadline() const { return deadline_; }
  ControlChannel& control() { return control_; }
  // Null: another process is rank 0.
  Leader* leader() { return leader_.get(); }
  // Null: this process is rank 0.
  Follower* follower() { return follower_.get(); }
  GroupPeers& peers() { return peers_; }

  // How often workers and servers here have gone on, for all to hear. Any thread may call.
  void NoteProgress(uint64_t count);

  // The job cannot go on: whoever waits here, or for values, throws `error`. Any thread may call.
  void Fail(std::exception_ptr error) { OnLost(std::move(error)); }
  // The same where the job has ended as it should.
  void SendHome(std::exception_ptr error);
  // Rank 0: the job is done, and all others are told.
  void End();
  // Tells all others that the job ends, and why; false: some may not know, rank 0 among them, and
  // none of them has ended the job itself.
  bool StopOthers(const Error& error);
  // Waits until all others have what was sent, and this one has acknowledged all that came, or for
  // a few seconds.
  void Drain() { stub_.Drain(kDrainSeconds); }
  // Where another process has ended the job: lets it know that this one has heard.
  void Acknowledge() { stub_.AcknowledgeEnd(kAcknowledgeSeconds); }

 private:
  static constexpr double kDrainSeconds = 5, kStopSeconds = 3, kAcknowledgeSeconds = 1;
  static constexpr double kStopEarlySeconds = 0.7;  // until all have met

  void OnMessage(int rank, Message message) override;
  void OnProgress(int) override { deadline_.Renew(); }
  bool OnReplaced(int rank) override;
  void OnLost(std::exception_ptr error) override;
  void OnControl(int rank, const Message& message);

  const JobPart part_;
  const JobCalls calls_;
  const SteadyClock steady_;
  ProgressDeadline deadline_;
  std::atomic<bool> failing_{false};  // calls_.failed was, or is, called
  Stub stub_;
  ControlChannel control_;
  const std::unique_ptr<Leader> leader_;
  const std::unique_ptr<Follower> follower_;
  GroupPeers peers_;
  std::unique_ptr<ServedCluster> cluster_;
};

}  // namespace singa
