// Stub runs the one thread of a process that talks to the other processes of the job. It sends the
// messages that roles of this process post, and hands on those that others send.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/thread/clock.h"
#include "base/thread/mutex.h"
#include "cluster/process/stub_options.h"
#include "comm/transport/rendezvous.h"
#include "comm/transport/zmq_transport.h"
#include "singa/base/error.h"

namespace singa {

// The error that another process has ended the job, with its reason.
class ToldError : public Error {
 public:
  using Error::Error;
};

// The stub's thread calls these.
class StubEvents {
 public:
  virtual ~StubEvents() = default;
  // Takes a message from process `rank`, which is authenticated. The stub handles its own messages
  // itself.
  virtual void OnMessage(int rank, Message message) = 0;
  // Workers or servers of process `rank` have made progress.
  virtual void OnProgress(int rank) = 0;
  // A new process has the place of process `rank`. Returns false if the job cannot go on with it.
  virtual bool OnReplaced(int rank) = 0;
  // The job cannot go on, mostly for a PeerError or ToldError. Called once.
  virtual void OnLost(std::exception_ptr error) = 0;
};

// From Open on, rank 0 answers processes that come. Meet waits for them all, so that the time that
// rank 0 takes to load in between does not count. Other ranks call Meet alone.
class Stub final : public Outbox, private ChannelEvents, private TransportEvents {
 public:
  // Starts to listen. `states`: floats that an updater keeps for each float of a slice. All must
  // outlive it. Throws Error as ZmqTransport does.
  Stub(const ClusterProto& conf, const Topology& topology, const ProcessPlace& place, int states,
       StubEvents* events, const Clock* clock);
  ~Stub() override;
  Stub(const Stub&) = delete;
  Stub& operator=(const Stub&) = delete;

  const Endpoint& endpoint() const { return transport_.endpoint(); }
  // Starts the thread: processes that come are answered, and events come. REQUIRES: not called
  // before.
  void Open();
  // Opens, if Open was not called, and waits for the other processes. Returns false if `give_up`,
  // which is called ten times a second, returned true. Throws PeerError, which names processes that
  // have not come in time: cluster.start_timeout from now at rank 0, and from the last message of
  // rank 0 elsewhere.
  bool Meet(const std::function<bool()>& give_up = {});

  // Any thread may call the methods below. REQUIRES: the role is another process's.
  void Post(Message message) override;
  // Tells all others that can be reached that the job ends, with `code` and the first 1000 bytes of
  // `reason`. Drops messages that are posted later. A second call, after Drain, lets the others
  // end.
  void StopOthers(ExitCode code, const std::string& reason);
  // Sets the progress count of workers here, which beats tell the others.
  void NoteProgress(uint64_t count) { progress_ = count; }
  // Returns whether all processes have met.
  bool met();
  // Returns, at rank 0, where process `rank` runs; nothing is known of one that has not come.
  HostAndPid host(int rank) {
    const MutexLock lock(&mutex_);
    return hosts_[rank];
  }
  // Waits until all posted messages have arrived, and all that came are acknowledged. Returns false
  // if `seconds` have passed before.
  bool Drain(double seconds);
  // Waits until the process that ended the job knows that this one has heard; for `seconds` at
  // most.
  void AcknowledgeEnd(double seconds);
  // Returns whether rank 0, another process, was lost or never found. It then hears nothing, even
  // if Drain returns true.
  bool lost_leader() const { return lost_leader_; }
  // Ends the thread: no message arrives or leaves any more.
  void Stop();
  int64_t bytes_sent() const { return bytes_sent_; }
  int64_t bytes_received() const { return bytes_received_; }

 private:
  void OnMessage(int rank, Message message) override;
  void OnRestarted(int rank, uint64_t incarnation) override;
  void OnGivenUp(int rank, const std::string& text) override;
  void OnPacket(int rank, Packet packet) override { channel_.OnPacket(rank, std::move(packet)); }
  void OnConnected(int rank) override;

  void Run();
  void SendPosted();
  bool CanBeTold(int rank) const;
  int64_t BeatPause() const;
  bool OnControl(int rank, const ControlMessage& control);
  void OnMeeting(int rank, const WireMessage& head);
  void ConnectAll();
  int64_t Beat();
  int64_t Gather();
  void OnStop(int rank, const ControlMessage::Stop& stop);
  void Lose(std::exception_ptr error);
  void LosePeer(int rank, const std::string& what);
  std::string Name(int rank) const;

  const Topology& topology_;
  const int rank_;
  const int64_t peer_timeout_, start_timeout_;  // nanoseconds
  StubEvents* const events_;
  const Clock& clock_;
  ZmqTransport transport_;
  ReliableChannel channel_;
  Rendezvous rendezvous_;
  int64_t beat_at_ = 0;                 // time of the next beat
  std::map<int, int64_t> progress_of_;  // by process: the count in its last beat
  int64_t heard_from_ = 0;              // silence of others counts from here at the earliest
  bool gathers_ = false;                // the time for others to come has begun
  std::optional<int> teller_;           // the process that has ended the job

  Mutex mutex_;
  std::condition_variable changed_;
  std::vector<Message> posted_ GUARDED_BY(mutex_);
  bool meets_ GUARDED_BY(mutex_) = false;
  bool met_ GUARDED_BY(mutex_) = false;
  bool stop_ GUARDED_BY(mutex_) = false;
  bool quiet_ GUARDED_BY(mutex_) = false;
  bool teller_knows_ GUARDED_BY(mutex_) = false;
  bool failed_ GUARDED_BY(mutex_) = false;  // the thread has failed: no message leaves any more
  std::exception_ptr lost_ GUARDED_BY(mutex_);
  std::vector<HostAndPid> hosts_ GUARDED_BY(mutex_);  // by rank

  std::atomic<uint64_t> progress_{0};
  std::atomic<bool> lost_leader_{false}, stops_others_{false};
  std::atomic<int64_t> bytes_sent_{0}, bytes_received_{0};
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace singa
