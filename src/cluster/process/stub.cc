#include "cluster/process/stub.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/system/failpoint.h"
#include "base/text/short_text.h"
#include "base/thread/thread.h"
#include "cluster/protocol/addresses.h"
#include "cluster/protocol/seconds.h"
#include "comm/message/control_message.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

constexpr size_t kMostReason = 1000;  // bytes
constexpr auto kLook = std::chrono::milliseconds(100);

}  // namespace

Stub::Stub(const ClusterProto& conf, const Topology& topology, const ProcessPlace& place,
           int states, StubEvents* events, const Clock* clock)
    : topology_(topology),
      rank_(place.rank),
      peer_timeout_(conf.peer_timeout() * kSecond),
      start_timeout_(conf.start_timeout() * kSecond),
      events_(events),
      clock_(*clock),
      transport_(TransportOptions(conf, topology, place, MostCopies(topology, states)), clock),
      channel_(IdentityOf(place, topology.processes()), &transport_, clock, this,
               OptionsOfChannel(conf, MostCopies(topology, states))),
      rendezvous_(rank_, topology.processes(), transport_.endpoint(),
                  place.coordinator.value_or(transport_.endpoint()), start_timeout_, clock, this) {
  hosts_ = rendezvous_.hosts();
  if (rank_ > 0) transport_.Connect(0, Resolve(*place.coordinator));
}

Stub::~Stub() { Stop(); }

void Stub::Stop() {
  {
    const MutexLock lock(&mutex_);
    stop_ = true;
  }
  transport_.Wake();
  if (thread_.joinable()) thread_.join();
}

void Stub::Open() {
  thread_ = StartThread([this] { Run(); });
}

bool Stub::Meet(const std::function<bool()>& give_up) {
  if (!thread_.joinable()) Open();
  {
    const MutexLock lock(&mutex_);
    meets_ = true;
  }
  transport_.Wake();
  do {
    MutexLock lock(&mutex_);
    changed_.wait_for(lock.native(), kLook, [this]() REQUIRES(mutex_) { return met_ || lost_; });
    if (lost_) std::rethrow_exception(lost_);
    if (met_) return true;
  } while (!give_up || !give_up());
  return false;
}

void Stub::Post(Message message) {
  {
    const MutexLock lock(&mutex_);
    if (stops_others_ && !message.head.control().has_stop()) return;
    posted_.push_back(std::move(message));
    quiet_ = false;
    if (posted_.size() > 1) return;  // the first one woke it
  }
  transport_.Wake();
}

// The others may end once they have heard the stop, and acknowledge nothing that comes later.
void Stub::StopOthers(ExitCode code, const std::string& reason) {
  {
    const MutexLock lock(&mutex_);
    stops_others_ = true;
  }
  ControlMessage control;
  control.mutable_stop()->set_exit_code(code);
  control.mutable_stop()->set_reason(ShortText(reason, kMostReason));
  for (int rank = 0; rank < topology_.processes(); ++rank)
    if (rank != rank_) Post(ControlTo(rank, control));
}

bool Stub::met() {
  const MutexLock lock(&mutex_);
  return met_;
}

bool Stub::Drain(double seconds) {
  if (!thread_.joinable()) return false;
  MutexLock lock(&mutex_);
  changed_.wait_for(lock.native(), std::chrono::duration<double>(seconds),
                    [this]() REQUIRES(mutex_) { return quiet_ || failed_; });
  return quiet_ && !failed_;
}

// Closing a socket with unread bytes drops what it has to send, also an acknowledgement. This
// process therefore waits until the other one tells that it has the acknowledgement.
void Stub::AcknowledgeEnd(double seconds) {
  if (!thread_.joinable()) return;
  MutexLock lock(&mutex_);
  changed_.wait_for(lock.native(), std::chrono::duration<double>(seconds),
                    [this]() REQUIRES(mutex_) { return teller_knows_ || failed_; });
}

void Stub::Run() {
  try {
    for (;;) {
      SendPosted();
      int64_t next = std::min({channel_.OnTime(), Beat(), Gather()});
      const ChannelCounters& counters = channel_.counters();
      bytes_sent_ = counters.sent_bytes;
      bytes_received_ = counters.delivered_bytes;
      {
        const MutexLock lock(&mutex_);
        if (stop_) return;
        quiet_ = posted_.empty() && channel_.Quiet();
        if (quiet_) changed_.notify_all();
        if (!posted_.empty()) next = 0;  // Poll still takes packets that have come
      }
      transport_.Poll(next, this);
    }
  } catch (...) {
    Lose(std::current_exception());
    const MutexLock lock(&mutex_);
    failed_ = true;
    changed_.notify_all();
  }
}

void Stub::SendPosted() {
  std::vector<Message> messages;
  {
    const MutexLock lock(&mutex_);
    messages.swap(posted_);
  }
  for (Message& message : messages) {
    const int rank = ProcessOf(topology_, message.head.to());
    if (message.head.control().has_stop() && !CanBeTold(rank)) {
      if (rank == 0) lost_leader_ = true;
      continue;
    }
    JoinFrames(&message.payload);
    channel_.Send(rank, std::move(message));
  }
}

// Before all have met, a process that is not connected may never be.
bool Stub::CanBeTold(int rank) const {
  return rendezvous_.Reached(rank) && (rendezvous_.complete() || transport_.connected(rank));
}

void Stub::OnConnected(int rank) {
  channel_.OnConnected(rank);
  rendezvous_.OnConnected(rank);
}

void Stub::OnMessage(int rank, Message message) {
  {
    const MutexLock lock(&mutex_);
    quiet_ = false;  // the message is to be acknowledged
  }
  const WireMessage& head = message.head;
  const bool to_stub = head.to().role() == Address::kStub;
  if (to_stub && rank == 0) rendezvous_.Renew();
  if (to_stub && head.type() != WireMessage::kControl)
    OnMeeting(rank, head);
  else if (!to_stub || !OnControl(rank, head.control()))
    events_->OnMessage(rank, std::move(message));
  SINGA_FAILPOINT("stub_got_message");
}

// Before all have met, a process that stops the job can tell only rank 0, which tells the others.
void Stub::OnStop(int rank, const ControlMessage::Stop& stop) {
  if (teller_) {  // the teller repeats its stop when this process has acknowledged it
    const MutexLock lock(&mutex_);
    teller_knows_ = teller_knows_ || *teller_ == rank;
    return changed_.notify_all();
  }
  const std::string reason =
      stop.has_reason() ? ShortText(Printable(stop.reason()), kMostReason) : "no reason given";
  const int64_t given = stop.exit_code();
  const auto code = given > 0 && given < 256 ? static_cast<ExitCode>(given) : kExitBug;
  if (rank_ == 0 && !rendezvous_.complete()) StopOthers(code, reason);
  teller_ = rank;
  Lose(std::make_exception_ptr(ToldError(code, StrCat(Name(rank), " has ended: ", reason))));
}

// Handles beats and stops. Returns false if the message is neither.
bool Stub::OnControl(int rank, const ControlMessage& control) {
  if (control.has_stop()) OnStop(rank, control.stop());
  const int64_t progress = control.beat().progress();
  if (control.has_beat() && std::exchange(progress_of_[rank], progress) != progress)
    events_->OnProgress(rank);
  return control.has_stop() || control.has_beat();
}

void Stub::OnMeeting(int rank, const WireMessage& head) {
  SINGA_FAILPOINT("rendezvous_heard");
  const bool complete = rendezvous_.OnMessage(rank, head);
  if (complete) ConnectAll();
  const MutexLock lock(&mutex_);
  hosts_ = rendezvous_.hosts();
  met_ = met_ || complete;
  changed_.notify_all();
}

// For ranks above this one the transport does nothing, since they connect here.
void Stub::ConnectAll() {
  for (int rank = 0; rank < topology_.processes(); ++rank)
    if (rank != rank_) transport_.Connect(rank, rendezvous_.endpoints()[rank]);
}

// Before all have met, a restarted process may come to rank 0 again.
void Stub::OnRestarted(int rank, uint64_t) {
  const bool meets = rank_ == 0 && !rendezvous_.complete();
  if (!meets && !(rendezvous_.complete() && events_->OnReplaced(rank)))
    LosePeer(rank, "another took its place");
}

void Stub::OnGivenUp(int rank, const std::string& text) { LosePeer(rank, text); }

// Sends a beat to all others in reach, and checks that they live. Returns the time of the next
// call.
int64_t Stub::Beat() {
  const int64_t now = clock_.Now();
  if (stops_others_ || (rank_ > 0 && !rendezvous_.complete())) return ReliableChannel::kNever;
  if (now < beat_at_) return beat_at_;
  const int64_t pause = BeatPause();
  if (now - beat_at_ > pause) heard_from_ = now;  // this process itself stood still
  beat_at_ = now + pause;
  ControlMessage beat;
  beat.mutable_beat()->set_progress(static_cast<int64_t>(progress_));
  for (int rank = 0; rank < topology_.processes(); ++rank) {
    if (rank == rank_ || !rendezvous_.Reached(rank)) continue;
    const int64_t heard = std::max(channel_.LastHeard(rank), heard_from_);
    if (now - heard > peer_timeout_) {
      LosePeer(rank, "not heard for " + Seconds(now - heard));
      return now;
    }
    channel_.Send(rank, ControlTo(rank, beat));
  }
  return now;  // OnTime has to send the beats
}

// Waiting processes hear a beat of rank 0 before they give it up.
int64_t Stub::BeatPause() const {
  const int64_t timeout =
      rendezvous_.complete() ? peer_timeout_ : std::min(peer_timeout_, start_timeout_);
  return std::clamp(timeout / 4, kSecond / 4, 5 * kSecond);
}

// Checks that all come in time. Returns when to call it next.
int64_t Stub::Gather() {
  {
    const MutexLock lock(&mutex_);
    if (!meets_ || lost_ || rendezvous_.complete()) return ReliableChannel::kNever;
  }
  if (!std::exchange(gathers_, true)) rendezvous_.Renew();
  try {
    rendezvous_.CheckTime();
  } catch (const PeerError&) {
    Lose(std::current_exception());
    return ReliableChannel::kNever;
  }
  return rendezvous_.deadline();
}

void Stub::LosePeer(int rank, const std::string& what) {
  if (rank == 0) lost_leader_ = true;
  Lose(std::make_exception_ptr(PeerError(StrCat(Name(rank), " was lost: ", what))));
}

void Stub::Lose(std::exception_ptr error) {
  {
    const MutexLock lock(&mutex_);
    if (lost_) return;
    lost_ = error;
    changed_.notify_all();
  }
  events_->OnLost(error);
}

std::string Stub::Name(int rank) const {
  return ProcessName(topology_, rank,
                     rendezvous_.complete() ? ToString(rendezvous_.endpoints()[rank]) : "");
}

}  // namespace singa
