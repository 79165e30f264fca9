#include "comm/transport/handshake.h"

#include <algorithm>

namespace singa {

Handshake::Verdict Handshake::Judge(const PacketHeader& header, uint64_t self) {
  if (header.incarnation() != incarnation_) return JudgeStranger(header, self);
  const uint64_t to = header.to_incarnation();
  const bool mine = to == 0 || to == self;
  const bool asks = header.challenge() != 0;
  if (asks) asks_ = header.challenge();
  if (asks || !mine) owes_answer_ = true;
  return {.refusal = mine ? Refusal::kNone : Refusal::kReceiver, .speak = asks || !mine};
}

// Judges a packet of an incarnation that is not the accepted one: accepts or challenges it.
Handshake::Verdict Handshake::JudgeStranger(const PacketHeader& header, uint64_t self) {
  if (std::ranges::count(retired_, header.incarnation()) > 0) return {.refusal = Refusal::kRetired};
  const uint64_t to = header.to_incarnation();
  if (to == self && header.answer() == challenge_) {
    Adopt(header);
    return {.speak = owes_answer_, .took_on = true};
  }
  candidate_ = header.incarnation();
  candidate_asks_ = header.challenge();
  return {.refusal = to == 0 || to == self ? Refusal::kSender : Refusal::kReceiver, .speak = true};
}

void Handshake::Adopt(const PacketHeader& header) {
  Leave();
  incarnation_ = header.incarnation();
  asks_ = header.challenge();
  ++challenge_;
  if (candidate_ == incarnation_) candidate_ = 0;
  owes_answer_ = asks_ != 0;
}

void Handshake::Leave() {
  if (incarnation_ != 0) retired_[retirements_++ % retired_.size()] = incarnation_;
  incarnation_ = 0;
  owes_answer_ = false;
}

void Handshake::Challenge(PacketHeader* header) const {
  header->set_challenge(challenge_);
  header->set_to_incarnation(candidate_);
  if (candidate_ != 0) header->set_answer(candidate_asks_);
}

void Handshake::Answer(PacketHeader* header) const {
  header->set_to_incarnation(incarnation_);
  header->set_answer(asks_);
}

}  // namespace singa
