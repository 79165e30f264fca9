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
  if (peer.incarnation != 0) {
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
  if (peer.incarnation == 0) return;
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
  header->set_to_incarnation(peer.incarnation);
  header->set_ack(peer.received);
  header->set_answer(peer.asks);
  if (!Transmit(rank, header, payload)) return false;
  peer.owed = 0;
  peer.answer_due = false;
  if (peer.candidate == 0) peer.speak_at = kNever;
  return true;
}

// Transmits the challenges, answers and acknowledgements that are due, without a message. If the
// transport does not take one, it is lost, and the other side asks again.
void ReliableChannel::Speak(int rank) {
  Peer& peer = peers_[rank];
  peer.speak_at = kNever;
  if (peer.candidate != 0 || peer.incarnation == 0) {
    PacketHeader header;
    header.set_challenge(peer.challenge);
    header.set_to_incarnation(peer.candidate);
    if (peer.candidate != 0) header.set_answer(peer.candidate_asks);
    counters_.spoken += Transmit(rank, &header, {});
  }
  if (peer.incarnation != 0 && (peer.owed > 0 || peer.answer_due)) {
    PacketHeader header;
    counters_.spoken += TransmitToKnown(rank, &header, {});
  }
  peer.candidate = 0;
  peer.owed = 0;
  peer.answer_due = false;
  peer.greeted_at = clock_->Now();
}

// Schedules a challenge or an answer, at most one in each ack_delay.
void ReliableChannel::Greet(Peer* peer) {
  const int64_t at = std::max(clock_->Now(), peer->greeted_at + options_.ack_delay);
  peer->speak_at = std::min(peer->speak_at, at);
}

void ReliableChannel::OnConnected(int rank) {
  if (rank < 0 || rank >= self_.ranks || rank == self_.rank) return;
  Peer& peer = peers_[rank];
  peer.backoff = options_.first_resend;
  peer.resend_at = peer.queue.empty() ? kNever : clock_->Now() + peer.backoff;
  if (peer.incarnation != 0) {
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
    if (peer.incarnation != 0) {
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
  text += peer.last_heard < 0 ? "it was never heard"
                              : StrCat("it was last heard ", seconds(peer.last_heard), " s ago");
  if (!peer.last_refusal.empty()) text += "; a packet was refused: " + peer.last_refusal;
  Leave(&peer);
  peer.given_up = true;
  ++counters_.given_up;
  events_->OnGivenUp(rank, text);
}

// Ends the link with the accepted incarnation, if any.
void ReliableChannel::Leave(Peer* peer) {
  if (peer->incarnation != 0)
    peer->retired[peer->retirements++ % peer->retired.size()] = peer->incarnation;
  counters_.dropped += peer->queue.messages();
  peer->queue.Clear();
  peer->incarnation = 0;
  peer->received = 0;
  peer->owed = 0;
  peer->answer_due = false;
  peer->resend_at = kNever;
}

bool ReliableChannel::Quiet() const {
  const auto quiet = [](const Peer& peer) { return peer.queue.empty() && peer.owed == 0; };
  return own_.empty() && std::all_of(peers_.begin(), peers_.end(), quiet);
}

}  // namespace singa
