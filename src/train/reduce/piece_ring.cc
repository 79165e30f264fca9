#include "train/reduce/piece_ring.h"

#include "base/thread/counted_time.h"
#include "base/thread/spin_wait.h"

namespace singa {

void PieceRing::Begin(int64_t pieces) {
  begin_ += static_cast<uint64_t>(pieces_);
  pieces_ = pieces;
  next_ = 0;
  mine_ = MineFrom(0);
}

int64_t PieceRing::MineFrom(int64_t piece) const {
  const auto turn = static_cast<int64_t>(begin_) + piece;
  return piece + (worker_ - turn % workers_ + workers_) % workers_;
}

void PieceRing::Tell() {
  ++board_.ring->changed;
  FutexWakeAll(board_.ring->changed);
}

// False: none is there to be added up.
bool PieceRing::AddOne(const Add& add) {
  int64_t piece = mine_;
  do
    if (piece >= pieces_ || !Complete(begin_ + piece)) return false;
  while (!mine_.compare_exchange_weak(piece, piece + workers_));
  const uint64_t turn = begin_ + piece;
  std::vector<float*> parts(workers_);
  for (int w = 0; w < workers_; ++w) parts[w] = memory_.slot(static_cast<int>(turn % kSlots), w);
  add(piece, parts);
  ++board_.turns_done[turn % kSlots];
  Tell();
  return true;
}

void PieceRing::Wait(const std::function<bool()>& done, const Add& add) {
  while (!stopped_ && !overdue_) {
    const uint32_t seen = board_.ring->changed;
    if (done()) return;
    if (AddOne(add)) continue;
    const CountedTime counts(&waited_);
    if (!SpinWait(board_.ring->changed, seen, static_cast<int>(workers_), &stopped_, deadline_))
      overdue_ = true;
  }
}

// The first turn that is not done is never waited for: its slot is free, and who has to add it up
// does that whenever it would wait.
void PieceRing::Run(const Compute& compute, const Add& add) {
  for (int64_t piece = next_++; piece < pieces_; piece = next_++) {
    const uint64_t turn = begin_ + piece;
    const auto slot = static_cast<int>(turn % kSlots);
    Wait([&] { return Free(turn); }, add);
    if (stopped_ || overdue_) return;
    compute(piece, memory_.slot(slot, static_cast<int>(worker_)));
    ++board_.parts_here[slot];
    ++board_.beats[worker_];
    Tell();
    while (AddOne(add)) {
    }
  }
  Wait([&] { return mine_ >= pieces_; }, add);
}

}  // namespace singa
