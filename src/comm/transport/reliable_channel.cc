#include "comm/transport/reliable_channel.h"

#include <glog/logging.h>

#include <algorithm>
#include <utility>

#include "base/text/counted.h"
#include "singa/base/str_cat.h"

namespace singa {

ReliableChannel::ReliableChannel(ProcessIdentity self, Transport* transport, const Clock* clock,
                                 ChannelEvents* events, const ChannelOptions& options)
    : self_(std::move(self)),
      transport_(transport),
      clock_(clock),
      events_(events),
      options_(options),
      peers_(self_.ranks, Peer(options)) {
  CHECK_EQ(self_.job.size(), kJobIdBytes);
  CHECK(self_.incarnation != 0 && self_.rank >= 0 && self_.rank < self_.ranks);
}

void ReliableChannel::Send(int rank, Message message) {
  CHECK(rank >= 0 && rank < self_.ranks) << rank;
  CHECK(Fits(message, options_.limits)) << message.head.type() << " is too large for a packet";
  if (rank == self_.rank) {
    own_.push_back(std::move(message));
    return;
  }
  Peer& peer = peers_[rank];
  if (peer.given_up) {
    ++counters_.dropped;
    return;
  }
  if (peer.queue.empty()) peer.progress_at = clock_->Now();
  const int64_t before = peer.queue.bytes();
  peer.queue.Push(std::move(message));
  ++counters_.sent;
  counters_.sent_bytes += peer.queue.bytes() - before;
  if (peer.handshake.incarnation() != 0) {
    Pump(rank);
  } else if (peer.resend_at == kNever) {
    peer.resend_at = clock_->Now() + peer.backoff;
    Greet(&peer);
  }
  Schedule(peer);
}

// Transmits the messages that the window allows.
void ReliableChannel::Pump(int rank) {
  Peer& peer = peers_[rank];
  if (peer.handshake.incarnation() == 0) return;
  while (SendQueue::Entry* entry = peer.queue.Next()) {
    if (!TransmitToKnown(rank, &entry->header, entry->payload)) break;
    counters_.resent += peer.queue.resending();
    peer.queue.Advance();
  }
  if (!peer.queue.empty() && peer.resend_at == kNever)
    peer.resend_at = clock_->Now() + peer.backoff;
}

bool ReliableChannel::Transmit(int rank, PacketHeader* header, const std::vector<Frame>& payload) {
  header->set_version(kWireVersion);
  header->set_job(self_.job);
  header->set_epoch(0);
  header->set_from(self_.rank);
  header->set_incarnation(self_.incarnation);
  if (transport_->Send(rank, EncodePacket(*header, payload))) return true;
  ++counters_.blocked;
  return false;
}

// Transmits to the accepted incarnation, with the acknowledgement and the answer that it is owed.
bool ReliableChannel::TransmitToKnown(int rank, PacketHeader* header,
                                      const std::vector<Frame>& payload) {
  Peer& peer = peers_[rank];
  peer.handshake.Answer(header);
  header->set_ack(peer.received);
  if (!Transmit(rank, header, payload)) return false;
  peer.owed = 0;
  peer.handshake.Answered();
  if (!peer.handshake.has_candidate()) peer.speak_at = kNever;
  return true;
}

// Transmits the challenges, answers and acknowledgements that are due, without a message. If the
// transport does not take one, it is lost, and the other side asks again.
void ReliableChannel::Speak(int rank) {
  Peer& peer = peers_[rank];
  peer.speak_at = kNever;
  const bool knows_it = peer.handshake.incarnation() != 0;
  if (!knows_it || peer.handshake.has_candidate()) {
    PacketHeader header;
    peer.handshake.Challenge(&header);
    counters_.spoken += Transmit(rank, &header, {});
  }
  if (knows_it && (peer.owed > 0 || peer.handshake.owes_answer())) {
    PacketHeader header;
    counters_.spoken += TransmitToKnown(rank, &header, {});
  }
  peer.handshake.Challenged();
  peer.handshake.Answered();
  peer.owed = 0;
  peer.greeted_at = clock_->Now();
}

// Schedules a challenge or an answer, at most one in each ack_delay.
void ReliableChannel::Greet(Peer* peer) {
  const int64_t at = std::max(clock_->Now(), peer->greeted_at + options_.ack_delay);
  peer->speak_at = std::min(peer->speak_at, at);
}

void ReliableChannel::OnPacket(int rank, Packet packet) {
  if (rank < 0 || rank >= self_.ranks || rank == self_.rank) {
    ++counters_.refused[static_cast<int>(Refusal::kRank)];
    return;
  }
  DecodedPacket decoded = DecodePacket(std::move(packet), options_.limits);
  const bool has_message = decoded.header.seq() > 0;
  if (decoded.refusal == Refusal::kNone) decoded.refusal = Judge(rank, decoded.header);
  if (decoded.refusal == Refusal::kNone) {
    Apply(rank, std::move(decoded));
  } else if (decoded.refusal != Refusal::kSender ||
             has_message) {  // without one, it only introduces itself
    Refuse(rank, decoded.refusal, decoded.text);
  }
  Peer& peer = peers_[rank];
  if (peer.speak_at <= clock_->Now()) Speak(rank);
  Schedule(peer);
}

void ReliableChannel::Refuse(int rank, Refusal refusal, const std::string& text) {
  const int64_t before = counters_.refused[static_cast<int>(refusal)]++;
  peers_[rank].last_refusal = text.empty() ? RefusalName(refusal) : text;
  if (refusal == Refusal::kVersion && before == 0)
    LOG(WARNING) << "a packet of process " << rank << " is refused: " << text;
}

Refusal ReliableChannel::Judge(int rank, const PacketHeader& header) {
  if (header.job() != self_.job) return Refusal::kJob;
  if (header.from() != static_cast<uint32_t>(rank)) return Refusal::kRank;
  Peer& peer = peers_[rank];
  const bool restarted = peer.handshake.incarnation() != 0 || peer.given_up;
  const Handshake::Verdict verdict = peer.handshake.Judge(header, self_.incarnation);
  if (verdict.took_on && restarted) Drop(&peer);
  if (verdict.speak) Greet(&peer);
  if (verdict.took_on) TookOn(rank, restarted);
  return verdict.refusal;
}

// Begins the link with a new incarnation.
void ReliableChannel::TookOn(int rank, bool restarted) {
  Peer& peer = peers_[rank];
  peer.given_up = false;
  peer.backoff = options_.first_resend;
  peer.resend_at = kNever;
  peer.progress_at = clock_->Now();
  peer.last_refusal.clear();
  if (!restarted) return;
  ++counters_.restarts;
  events_->OnRestarted(rank, peer.handshake.incarnation());
}

void ReliableChannel::Apply(int rank, DecodedPacket packet) {
  Peer& peer = peers_[rank];
  const int64_t now = clock_->Now();
  const int64_t news = peer.queue.Acknowledge(packet.header.ack());
  if (news < 0) return Refuse(rank, Refusal::kAck, "");
  peer.last_heard = now;
  if (news > 0) {
    peer.backoff = options_.first_resend;
    peer.progress_at = now;
    peer.resend_at = peer.queue.empty() ? kNever : now + peer.backoff;
  }
  if (packet.header.seq() > 0) Receive(rank, std::move(packet));
  Pump(rank);
}

void ReliableChannel::Receive(int rank, DecodedPacket packet) {
  Peer& peer = peers_[rank];
  const uint64_t seq = packet.header.seq();
  if (seq > peer.received + 1) {
    ++counters_.out_of_order;
    return;
  }
  ++peer.owed;
  const int64_t wait = peer.owed < options_.ack_every ? options_.ack_delay : 0;
  peer.speak_at = std::min(peer.speak_at, clock_->Now() + wait);
  if (seq <= peer.received) {
    ++counters_.duplicates;
    return;
  }
  peer.received = seq;
  Message message;
  message.head = std::move(*packet.header.mutable_message());
  message.payload = std::move(packet.payload);
  ++counters_.delivered;
  counters_.delivered_bytes += static_cast<int64_t>(message.head.ByteSizeLong());
  for (const Frame& frame : message.payload)
    counters_.delivered_bytes += static_cast<int64_t>(frame.size());
  events_->OnMessage(rank, std::move(message));
}

void ReliableChannel::OnConnected(int rank) {
  if (rank < 0 || rank >= self_.ranks || rank == self_.rank) return;
  Peer& peer = peers_[rank];
  peer.backoff = options_.first_resend;
  peer.resend_at = peer.queue.empty() ? kNever : clock_->Now() + peer.backoff;
  if (peer.handshake.incarnation() != 0) {
    peer.queue.Rewind(/*probe=*/false);
    Pump(rank);
  } else {
    Greet(&peer);
  }
  Schedule(peer);
}

int64_t ReliableChannel::OnTime() {
  DeliverOwn();
  const int64_t late = clock_->Now() - due_;
  if (due_ != kNever && late >= 0) {
    // This process was stopped for a time, which does not count as silence of the others.
    for (Peer& peer : peers_) peer.progress_at += late > options_.max_resend ? late : 0;
    due_ = kNever;
    for (int rank = 0; rank < self_.ranks; ++rank) {
      Serve(rank);
      Schedule(peers_[rank]);
    }
  }
  return own_.empty() ? due_ : clock_->Now();
}

// Delivers this process's messages to itself. New ones wait for the next call, so that other ranks
// have their turn.
void ReliableChannel::DeliverOwn() {
  for (std::deque<Message> messages = std::exchange(own_, {}); !messages.empty();) {
    Message message = std::move(messages.front());
    messages.pop_front();
    events_->OnMessage(self_.rank, std::move(message));
  }
}

void ReliableChannel::Serve(int rank) {
  const int64_t now = clock_->Now();
  Peer& peer = peers_[rank];
  if (!peer.queue.empty() && options_.give_up > 0 && now - peer.progress_at >= options_.give_up)
    return GiveUp(rank);
  if (peer.resend_at <= now) {
    peer.backoff = std::min(2 * peer.backoff, options_.max_resend);
    peer.resend_at = now + peer.backoff;
    if (peer.handshake.incarnation() != 0) {
      peer.queue.Rewind(/*probe=*/true);
      Pump(rank);
    } else {
      peer.speak_at = now;  // a hello
    }
  }
  if (peer.speak_at <= now) Speak(rank);
}

int64_t ReliableChannel::Due(const Peer& peer) const {
  const int64_t due = std::min(peer.speak_at, peer.resend_at);
  if (peer.queue.empty() || options_.give_up == 0) return due;
  return std::min(due, peer.progress_at + options_.give_up);
}

void ReliableChannel::GiveUp(int rank) {
  Peer& peer = peers_[rank];
  const auto seconds = [&](int64_t since) { return (clock_->Now() - since) / 1'000'000'000; };
  std::string text = StrCat("no answer for ", seconds(peer.progress_at), " s; ",
                            Counted(peer.queue.messages(), "message waits", "messages wait"), "; ");
  text += peer.last_heard < 0
              ? "no valid packet came from it"
              : StrCat("its last valid packet came ", seconds(peer.last_heard), " s ago");
  if (!peer.last_refusal.empty()) text += "; a packet was refused: " + peer.last_refusal;
  peer.handshake.Leave();
  Drop(&peer);
  peer.given_up = true;
  ++counters_.given_up;
  events_->OnGivenUp(rank, text);
}

// Ends the link with the accepted incarnation, if any.
void ReliableChannel::Drop(Peer* peer) {
  counters_.dropped += peer->queue.messages();
  peer->queue.Clear();
  peer->received = 0;
  peer->owed = 0;
  peer->resend_at = kNever;
}

bool ReliableChannel::Quiet() const {
  const auto quiet = [](const Peer& peer) { return peer.queue.empty() && peer.owed == 0; };
  return own_.empty() && std::all_of(peers_.begin(), peers_.end(), quiet);
}

}  // namespace singa
