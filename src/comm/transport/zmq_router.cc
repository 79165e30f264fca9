#include "comm/transport/zmq_router.h"

#include <glog/logging.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <utility>

#include "comm/transport/listen.h"
#include "comm/transport/own_address.h"
#include "comm/transport/zmq_dealer.h"
#include "singa/base/error.h"

namespace singa {
namespace {

constexpr size_t kMostPast = 16;

// Returns the endpoint that others are told. Throws Error if it is no single address.
Endpoint Advertised(const ZmqOptions& options, const Endpoint& own) {
  if (!options.advertise.empty()) return Resolve({options.advertise, own.port});
  if (IsWildcard(own))
    throw Error(kExitConfig, ToString(own) +
                                 " stands for all addresses of this machine; name the one "
                                 "that the other processes connect to");
  return own;
}

}  // namespace

ZmqRouter::ZmqRouter(zmq::context_t* context, const Clock* clock, const ZmqOptions* options,
                     ZmqCounts* counts)
    : options_(options),
      counts_(counts),
      endpoint_(ResolveOwn(options->bind)),
      curve_(NeedsCurve(options->security, Advertised(*options, endpoint_))),
      gate_(context, clock, options->rank, options->processes, options->secrets, curve_),
      socket_(MakeSocket(context, ZMQ_ROUTER)),
      peers_(options->processes) {
  monitor_ = std::make_unique<ZmqMonitor>(context, &socket_,
                                          ZMQ_EVENT_HANDSHAKE_FAILED_AUTH |
                                              ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL |
                                              ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL,
                                          "router");
  Bind(endpoint_);
}

void ZmqRouter::Bind(const Endpoint& own) {
  SocketSettings settings = options_->settings;
  settings.ipv6 = IsIpv6(own);
  Apply(settings, &socket_);
  SetOption(&socket_, ZMQ_ZAP_DOMAIN, "singa");
  SetOption(&socket_, ZMQ_ROUTING_ID, ServerName(options_->secrets.token, options_->rank));
  if (curve_) {
    SetOption(&socket_, ZMQ_CURVE_SERVER, 1);
    SetOption(&socket_, ZMQ_CURVE_SECRETKEY, options_->secrets.keys[options_->rank].secret_key);
  } else {
    SetOption(&socket_, ZMQ_PLAIN_SERVER, 1);
  }
  Descriptor listener = Listen(&endpoint_);
  SetOption(&socket_, ZMQ_USE_FD, listener.get());
  bound_ = std::make_unique<ConnectionBound>(listener.get(), options_->most_strangers);
  CHECK_EQ(zmq_bind(socket_.handle(), ("tcp://" + ToString(endpoint_)).c_str()), 0)
      << ToString(endpoint_) << ": " << zmq_strerror(errno);
  listener.Release();  // ZeroMQ closes it
  endpoint_ = Advertised(*options_, endpoint_);
  gate_.SetPort(endpoint_.port);
}

bool ZmqRouter::Send(int rank, const Packet& packet) {
  Peer& peer = peers_[rank];
  if (peer.id.empty()) return false;
  const Sent sent = SendFrames(&socket_, peer.id, packet);
  if (sent == Sent::kNoSuchPeer) peer.id.clear();
  return sent == Sent::kYes;
}

void ZmqRouter::Check() {
  gate_.Answer();
  counts_->refused = gate_.refused();
  counts_->cut_off = bound_->cut_off();
  while (monitor_->Next() != 0) ++counts_->failed_handshakes;
}

int ZmqRouter::SenderOf(const Received& received) const {
  int rank = -1;  // the gate wrote it
  std::from_chars(received.user.data(), received.user.data() + received.user.size(), rank);
  return rank > options_->rank && rank < options_->processes ? rank : -1;
}

int ZmqRouter::Receive(int most, TransportEvents* events) {
  int count = 0;
  while (count < most &&
         ReceiveFrames(&socket_, zmq::socket_type::router, options_->max_frames, &received_)) {
    ++count;
    const int rank = SenderOf(received_);
    if (rank >= 0 && IsGreeting(received_.packet)) {
      OnGreeting(rank, received_, events);
    } else if (rank < 0 || received_.from != peers_[rank].id) {
      ++counts_->dropped;
    } else if (received_.too_many_frames) {
      OnOffence(rank);
    } else {
      events->OnPacket(rank, std::exchange(received_.packet, {}));
    }
  }
  return count;
}

void ZmqRouter::OnGreeting(int rank, const Received& received, TransportEvents* events) {
  const std::string& text = received.from;
  bound_->Proved(received.descriptor);
  Peer& peer = peers_[rank];
  RoutingId id;
  const bool own_name = ParseRoutingId(text, &id) && id.rank == rank;
  const bool same_life = id.incarnation == peer.parts.incarnation;
  const bool past =
      std::find(peer.past.begin(), peer.past.end(), id.incarnation) != peer.past.end();
  if (!own_name || past || (same_life && id.connection <= peer.parts.connection)) {
    ++counts_->dropped;
    return;
  }
  // A process that was killed meanwhile takes no answer, and must replace nobody.
  if (SendFrames(&socket_, text, Greeting()) != Sent::kYes) return;
  if (!same_life && !peer.parts.incarnation.empty()) Retire(&peer);
  peer.id = text;
  peer.parts = id;
  events->OnConnected(rank);
}

void ZmqRouter::Retire(Peer* peer) {
  peer->past.push_back(peer->parts.incarnation);
  if (peer->past.size() > kMostPast) peer->past.pop_front();
  peer->id.clear();
  peer->parts = {};
  peer->offences = 0;
}

void ZmqRouter::OnOffence(int rank) {
  Peer& peer = peers_[rank];
  ++counts_->dropped;
  if (++peer.offences < kMostOffences) return;
  LOG(ERROR) << "process " << rank
             << " sends packets that no process of this job sends: its packets are no longer read";
  Retire(&peer);
}

}  // namespace singa
