// Stub: the thread of a process that alone talks to the other processes of the job. What roles of
// this process post for others leaves by it; what others send is handed on.
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

// Another process has ended the job, and has said why.
class ToldError : public Error {
 public:
  using Error::Error;
};

// What the stub's thread calls.
class StubEvents {
 public:
  virtual ~StubEvents() = default;
  // From process `rank`, which is sure. Not what the stub itself heeds.
  virtual void OnMessage(int rank, Message message) = 0;
  // Workers of process `rank` have gone on.
  virtual void OnProgress(int rank) = 0;
  // Another has taken the place of process `rank`; false: the job cannot go on with it.
  virtual bool OnReplaced(int rank) = 0;
  // The job cannot go on: a PeerError or ToldError. Called once.
  virtual void OnLost(std::exception_ptr error) = 0;
};

// Rank 0 answers those who come from Open on, and finds out whether all have in Meet: what it loads
// in between counts against nobody. Others do both at once.
class Stub final : public Outbox, private ChannelEvents, private TransportEvents {
 public:
  // Listens. `states`: floats that an updater keeps for each of a slice. All outlive it. Throws
  // Error as ZmqTransport.
  Stub(const ClusterProto& conf, const Topology& topology, const ProcessPlace& place, int states,
       StubEvents* events, const Clock* clock);
  ~Stub() override;
  Stub(const Stub&) = delete;
  Stub& operator=(const Stub&) = delete;

  const Endpoint& endpoint() const { return transport_.endpoint(); }
  // From now on who comes is answered, and heard: events come. Once.
  void Open();
  // Opens, where that is not done, and waits for the other processes. False: `give_up`, which is
  // asked ten times a second, said so. Throws PeerError that says who has not come in time: rank 0
  // counts cluster.start_timeout from now on, others from the last word of rank 0.
  bool Meet(const std::function<bool()>& give_up = {});

  // What follows any thread may call.
  // REQUIRES: the role is another process's.
  void Post(Message message) override;
  // Ends the job of all others that can be told with `code` and a reason, of which they hear the
  // first 1000 bytes. What is posted later goes nowhere. Once more after Drain: they may end.
  void StopOthers(ExitCode code, const std::string& reason);
  // How often workers here have gone on, for the others to hear.
  void NoteProgress(uint64_t count) { progress_ = count; }
  // Whether all have come together.
  bool met();
  // Rank 0: where process `rank` runs; nothing is known of one that has not come.
  HostAndPid host(int rank) {
    const MutexLock lock(&mutex_);
    return hosts_[rank];
  }
  // Waits until all that was posted has arrived, and all that has come is acknowledged; false: not
  // after so many seconds.
  bool Drain(double seconds);
  // Where another process has ended the job: waits until it knows that this one has heard, or for
  // so many seconds.
  void AcknowledgeEnd(double seconds);
  // Rank 0, another process, was lost or never found: it hears nothing, whatever Drain says.
  bool lost_leader() const { return lost_leader_; }
  // Nothing arrives or leaves any more.
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
  int64_t beat_at_ = 0;                 // the next one
  std::map<int, int64_t> progress_of_;  // of each other process, as its last beat says
  int64_t heard_from_ = 0;              // who was not heard since is not silent for longer
  bool gathers_ = false;                // the time that others have to come is counted
  std::optional<int> teller_;           // the process that has ended the job

  Mutex mutex_;
  std::condition_variable changed_;
  std::vector<Message> posted_ GUARDED_BY(mutex_);
  bool meets_ GUARDED_BY(mutex_) = false;
  bool met_ GUARDED_BY(mutex_) = false;
  bool stop_ GUARDED_BY(mutex_) = false;
  bool quiet_ GUARDED_BY(mutex_) = false;
  bool teller_knows_ GUARDED_BY(mutex_) = false;
  bool failed_ GUARDED_BY(mutex_) = false;  // the thread has: nothing leaves any more
  std::exception_ptr lost_ GUARDED_BY(mutex_);
  std::vector<HostAndPid> hosts_ GUARDED_BY(mutex_);  // by rank

  std::atomic<uint64_t> progress_{0};
  std::atomic<bool> lost_leader_{false}, stops_others_{false};
  std::atomic<int64_t> bytes_sent_{0}, bytes_received_{0};
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace singa
