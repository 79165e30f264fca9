// Handshake decides which incarnation of one other process is accepted: the newest one that has
// answered a challenge, so that packets of a process that was replaced count no more.
// proto/README.md has the rules. One thread uses it, the channel's.
#pragma once

#include <array>
#include <cstdint>

#include "comm/transport/packet.h"

namespace singa {

class Handshake {
 public:
  struct Verdict {
    Refusal refusal = Refusal::kNone;  // kNone: the accepted incarnation sent the packet
    bool speak = false;                // a challenge or an answer is due
    bool took_on = false;              // this packet made its sender the accepted incarnation
  };

  // Returns the accepted incarnation; 0: none.
  uint64_t incarnation() const { return incarnation_; }
  // Returns whether an incarnation waits to be challenged.
  bool has_candidate() const { return candidate_ != 0; }
  // Returns whether the accepted incarnation is owed an answer.
  bool owes_answer() const { return owes_answer_; }

  // Judges a packet to the incarnation `self` of this process.
  Verdict Judge(const PacketHeader& header, uint64_t self);
  // Accepts nobody from now on, and refuses the incarnation that was accepted.
  void Leave();

  // Fills in a header that challenges the candidate, or whoever is there.
  void Challenge(PacketHeader* header) const;
  // Fills in a header to the accepted incarnation, with the answer that it is owed.
  void Answer(PacketHeader* header) const;
  // Note that such headers were sent.
  void Challenged() { candidate_ = 0; }
  void Answered() { owes_answer_ = false; }

 private:
  Verdict JudgeStranger(const PacketHeader& header, uint64_t self);
  void Adopt(const PacketHeader& header);

  uint64_t incarnation_ = 0;
  uint64_t asks_ = 0;            // the last challenge of the accepted incarnation
  uint64_t challenge_ = 1;       // ours; grows when an incarnation is accepted
  uint64_t candidate_ = 0;       // an incarnation to be challenged; 0: none
  uint64_t candidate_asks_ = 0;  // the candidate's challenge
  bool owes_answer_ = false;
  std::array<uint64_t, 16> retired_{};  // the last incarnations that were replaced or given up
  size_t retirements_ = 0;
};

}  // namespace singa
