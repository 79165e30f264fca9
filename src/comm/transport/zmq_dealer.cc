#include "comm/transport/zmq_dealer.h"

#include <glog/logging.h>

#include <cerrno>
#include <limits>
#include <utility>

#include "comm/transport/zmq_gate.h"
#include "singa/base/error.h"

namespace singa {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
constexpr int64_t kBetweenConnections = 100 * kMillisecond;
constexpr int64_t kPenalty = 10'000 * kMillisecond;

constexpr int kEvents = ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH |
                        ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL |
                        ZMQ_EVENT_DISCONNECTED;

}  // namespace

Packet Greeting() { return {Frame()}; }
bool IsGreeting(const Packet& packet) { return packet.size() == 1 && packet[0].size() == 0; }

ZmqDealer::ZmqDealer(zmq::context_t* context, const Clock* clock, const ZmqOptions* options,
                     std::string incarnation, int peer, ZmqCounts* counts)
    : context_(context),
      clock_(clock),
      options_(options),
      incarnation_(std::move(incarnation)),
      peer_name_(ServerName(options->secrets.token, peer)),
      peer_(peer),
      counts_(counts),
      next_check_(kNever) {}

void ZmqDealer::Connect(const Endpoint& to) {
  if (to_ == to) return;
  to_ = to;
  offences_ = 0;
  reported_ = false;
  Open();
}

void ZmqDealer::Open() {
  Close(kNever);
  const RoutingId id{options_->rank, incarnation_, ++connections_};
  SocketSettings settings = options_->settings;
  settings.ipv6 = IsIpv6(*to_);
  zmq::socket_t socket = MakeSocket(context_, ZMQ_DEALER);
  Apply(settings, &socket);
  const JobSecrets& secrets = options_->secrets;
  SetOption(&socket, ZMQ_ROUTING_ID, ToString(id));
  if (NeedsCurve(options_->security, *to_)) {
    SetOption(&socket, ZMQ_CURVE_SERVERKEY, secrets.keys[peer_].public_key);
    SetOption(&socket, ZMQ_CURVE_PUBLICKEY, secrets.keys[options_->rank].public_key);
    SetOption(&socket, ZMQ_CURVE_SECRETKEY, secrets.keys[options_->rank].secret_key);
  } else {
    SetOption(&socket, ZMQ_PLAIN_USERNAME, ToString(id));
    SetOption(&socket, ZMQ_PLAIN_PASSWORD,
              PasswordOf(secrets.token, ToString(id), peer_, to_->port));
  }
  monitor_ =
      std::make_unique<ZmqMonitor>(context_, &socket, kEvents, StrCat(peer_, ".", connections_));
  CHECK_EQ(zmq_connect(socket.handle(), ("tcp://" + ToString(*to_)).c_str()), 0)
      << ToString(*to_) << ": " << zmq_strerror(errno);
  socket_ = std::move(socket);
  state_ = State::kConnecting;
  opened_at_ = clock_->Now();
}

void ZmqDealer::Close(int64_t open_again) {
  if (socket_) SetOption(&*socket_, ZMQ_LINGER, 0);  // waiting packets would arrive out of order
  monitor_.reset();
  socket_.reset();
  state_ = State::kNone;
  greeted_ = false;
  next_check_ = open_again;
}

bool ZmqDealer::Send(const Packet& packet) {
  return state_ == State::kUp && SendFrames(&*socket_, "", packet) == Sent::kYes;
}

void ZmqDealer::Check() {
  while (monitor_) {
    const int event = monitor_->Next();
    if (event == 0) break;
    OnEvent(event);
  }
  const int64_t now = clock_->Now();
  if (!socket_) {
    if (now >= next_check_) Open();
    return;
  }
  if (state_ != State::kGreeting) return;
  if (now >= next_check_) {
    Report("does not answer");
    Close(now + kBetweenConnections);
  } else if (!greeted_) {
    static_cast<void>(socket_->get(zmq::sockopt::events));  // ZeroMQ sees the new connection
    greeted_ = SendFrames(&*socket_, "", Greeting()) == Sent::kYes;
  }
}

void ZmqDealer::OnEvent(int event) {
  const int64_t now = clock_->Now();
  switch (event) {
    case ZMQ_EVENT_HANDSHAKE_SUCCEEDED:
      state_ = State::kGreeting;
      next_check_ = now + options_->settings.handshake_ms * kMillisecond;
      break;
    case ZMQ_EVENT_DISCONNECTED:
      // Before the connection stood, ZeroMQ itself tries again, ever more rarely.
      if (state_ == State::kGreeting || state_ == State::kUp)
        Close(std::max(now, opened_at_ + kBetweenConnections));
      break;
    default:
      ++counts_->failed_handshakes;
      Report(event == ZMQ_EVENT_HANDSHAKE_FAILED_AUTH ? "refuses this process"
                                                      : "did not authenticate itself");
  }
}

// Returns whether the packet is from the peer. CURVE proves this, or a name that only processes of
// this job hear.
bool ZmqDealer::IsFromPeer(const Received& received) {
  return NeedsCurve(options_->security, *to_) || received.peer == peer_name_;
}

int ZmqDealer::Receive(int most, TransportEvents* events) {
  int count = 0;
  while (count < most && socket_ && state_ >= State::kGreeting &&
         ReceiveFrames(&*socket_, zmq::socket_type::dealer, options_->max_frames, &received_)) {
    ++count;
    if (!IsFromPeer(received_) || received_.too_many_frames) {
      ++counts_->dropped;
      if (++offences_ < kMostOffences) continue;
      LOG(ERROR)
          << "process " << peer_ << " at " << ToString(*to_)
          << " sends packets that no process of this job sends: its connection is closed for 10 s";
      offences_ = 0;
      Close(clock_->Now() + kPenalty);
    } else if (IsGreeting(received_.packet)) {
      const bool first = state_ != State::kUp;
      state_ = State::kUp;
      next_check_ = kNever;
      reported_ = false;
      if (first) events->OnConnected(peer_);
    } else if (state_ == State::kUp) {
      events->OnPacket(peer_, std::exchange(received_.packet, {}));
    } else {
      ++counts_->dropped;
    }
  }
  return count;
}

void ZmqDealer::Report(const char* what) {
  if (reported_) return;
  reported_ = true;
  LOG(WARNING) << "process " << peer_ << " at " << ToString(*to_) << ' ' << what
               << ". Does it belong to this job, and does it have the same keys? Trying again";
}

}  // namespace singa
