// ReliableChannel receives packets. It decides which of them count, and which incarnation sent
// them.
#include <glog/logging.h>

#include <algorithm>
#include <utility>

#include "comm/transport/reliable_channel.h"

namespace singa {

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
  if (header.incarnation() != peer.incarnation) return JudgeStranger(rank, header);

  const uint64_t to = header.to_incarnation();
  const bool mine = to == 0 || to == self_.incarnation;
  if (header.challenge() != 0) peer.asks = header.challenge();
  if (header.challenge() != 0 || !mine) {
    peer.answer_due = true;
    Greet(&peer);
  }
  return mine ? Refusal::kNone : Refusal::kReceiver;
}

// Judges a packet of an incarnation that is not the accepted one: accepts or challenges it.
Refusal ReliableChannel::JudgeStranger(int rank, const PacketHeader& header) {
  Peer& peer = peers_[rank];
  const uint64_t to = header.to_incarnation();
  const auto& retired = peer.retired;
  if (std::find(retired.begin(), retired.end(), header.incarnation()) != retired.end())
    return Refusal::kRetired;
  if (to == self_.incarnation && header.answer() == peer.challenge) {
    TakeOn(rank, header);
    return Refusal::kNone;
  }
  peer.candidate = header.incarnation();
  peer.candidate_asks = header.challenge();
  Greet(&peer);
  return to == 0 || to == self_.incarnation ? Refusal::kSender : Refusal::kReceiver;
}

void ReliableChannel::TakeOn(int rank, const PacketHeader& header) {
  Peer& peer = peers_[rank];
  const bool restarted = peer.incarnation != 0 || peer.given_up;
  if (restarted) Leave(&peer);
  peer.given_up = false;
  peer.incarnation = header.incarnation();
  peer.asks = header.challenge();
  ++peer.challenge;
  if (peer.candidate == peer.incarnation) peer.candidate = 0;
  if (peer.asks != 0) {
    peer.answer_due = true;
    Greet(&peer);
  }
  peer.backoff = options_.first_resend;
  peer.resend_at = kNever;
  peer.progress_at = clock_->Now();
  peer.last_refusal.clear();
  if (!restarted) return;
  ++counters_.restarts;
  events_->OnRestarted(rank, peer.incarnation);
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

}  // namespace singa
