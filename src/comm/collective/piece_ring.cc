#include "comm/collective/piece_ring.h"

#include <algorithm>

#include "base/thread/counted_time.h"
#include "base/thread/first_failure.h"
#include "base/thread/stopped.h"
#include "comm/collective/thread_pieces.h"
#include "math/finite.h"
#include "math/parallel_slices.h"

namespace singa {

struct PieceRing::Thread {
  Context ctx;
  const PieceWork& work;
  ThreadsActivity& activity;
};

void PieceRing::Run(Context& ctx, int64_t pieces, const PieceWork& work) {
  begin_ += static_cast<uint64_t>(pieces_);
  pieces_ = pieces;
  next_ = 0;
  mine_ = MineFrom(0);
  ThreadsActivity activity(mark_, Activity::kAwaitsWorkers);
  FirstFailure failure;
  const auto run = [&](int64_t, int64_t, int64_t number) {
    Thread thread = {OfThread(ctx, number), work, activity};
    try {
      RunThread(&thread);
    } catch (...) {
      failure.Keep();
      group_.Stop();  // the other threads may wait for the piece that this one computed
    }
  };
  const int64_t threads = std::max(1, ctx.threads);
  ParallelSlices(ctx, threads * kParallelElements, kParallelElements, run);
  *group_.waited() += waited_.exchange(0) / threads;
  failure.Throw();
  if (group_.stopped()) throw Stopped();
  if (overdue_) group_.ThrowStalled(static_cast<int>(rank_), group_.LateRank());
}

// Threads cannot deadlock: the slot of the first turn that is not done is free, and the rank that
// has to add this turn up does so whenever it would wait.
void PieceRing::RunThread(Thread* thread) {
  for (int64_t piece = next_++; piece < pieces_; piece = next_++) {
    Wait(thread, [&] { return Free(begin_ + piece); });
    if (ended()) return;
    Compute(thread, piece);
    while (AddOne(thread)) {
    }
  }
  Wait(thread, [&] { return mine_ >= pieces_; });
}

void PieceRing::Compute(Thread* thread, int64_t piece) {
  const auto slot = static_cast<int>((begin_ + piece) % kSlots);
  {
    const ThreadsActivity::Scope computes(&thread->activity, Activity::kGradient);
    thread->work.Produce(thread->ctx, piece, board_.slot(slot, static_cast<int>(rank_)));
  }
  ++board_.parts_here[slot];
  ++board_.progress[rank_].parts;
  board_.ring->changed.Tell();
}

// Adds up one piece. Returns false if no piece of this rank is complete.
bool PieceRing::AddOne(Thread* thread) {
  int64_t piece = mine_;
  do
    if (!CanAdd(piece)) return false;
  while (!mine_.compare_exchange_weak(piece, piece + board_.ranks));
  const auto slot = static_cast<int>((begin_ + piece) % kSlots);
  {
    const ThreadsActivity::Scope updates(&thread->activity, Activity::kUpdating);
    float* const sum = board_.slot(slot, 0);
    AddUpWorkers(
        group_.nodes()[0], [&](int rank) -> const float* { return board_.slot(slot, rank); },
        thread->work.floats(piece), sum);
    thread->work.Consume(thread->ctx, piece, {&sum, 1});
  }
  ++board_.turns_done[slot];
  board_.ring->changed.Tell();
  return true;
}

int PieceRing::NotFiniteRank(const Context& ctx, int64_t piece, int64_t begin, int64_t n) const {
  const auto slot = static_cast<int>((begin_ + piece) % kSlots);
  for (auto rank = static_cast<int>(board_.ranks) - 1; rank >= 0; --rank)
    if (!AllFinite(ctx, board_.slot(slot, rank) + begin, n)) return rank;
  return -1;
}

template <typename Done>
void PieceRing::Wait(Thread* thread, const Done& done) {
  while (!ended()) {
    if (done()) return;
    if (AddOne(thread)) continue;
    const CountedTime counts(&waited_);
    if (!board_.ring->changed.Await([&] { return done() || CanAdd(mine_) || ended(); },
                                    static_cast<int>(board_.ranks), &group_.stopped(),
                                    group_.deadline()))
      overdue_ = true;
  }
}

int64_t PieceRing::MineFrom(int64_t piece) const {
  const auto turn = static_cast<int64_t>(begin_) + piece;
  return piece + (rank_ - turn % board_.ranks + board_.ranks) % board_.ranks;
}

}  // namespace singa
