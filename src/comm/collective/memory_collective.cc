#include "comm/collective/memory_collective.h"

#include <glog/logging.h>

#include <algorithm>
#include <cstring>

#include "base/thread/counted_time.h"
#include "base/thread/stopped.h"
#include "comm/collective/thread_pieces.h"

namespace singa {
namespace {

// Returns the bytes of the chunk that begins at `at`.
int64_t ChunkOf(int64_t bytes, int64_t at) {
  return std::min(bytes - at, MemoryBoard::kChunkBytes);
}

}  // namespace

MemoryCollective::MemoryCollective(MemoryGroup* group, int rank, ActivityMark* mark)
    : group_(*group), rank_(rank), mark_(mark) {
  if (group->spans_processes()) ring_ = std::make_unique<PieceRing>(group, rank, mark);
}

Collective::Operation MemoryCollective::Start(const Request& request) {
  CHECK_LT(next_ - first_, kMostStarted) << "operations that nobody waits for";
  CHECK_EQ(request.in.size(), request.out.size());
  if (request.kind == Kind::kSumFloats)
    CHECK(!group_.between()) << "gradients of other processes go by servers";
  started_[next_ % kMostStarted] = {request, std::ssize(request.in)};
  const Operation operation = next_++;
  GoOn();
  return operation;
}

void MemoryCollective::Await(Operation operation) {
  if (group_.stopped()) throw Stopped();
  while (operation >= first_) {
    if (!GoOn()) Wait();
  }
}

// Waits until an operation can go on. If it waits too long, the error names the rank that wrote
// least.
void MemoryCollective::Wait() {
  const ActivityMark::Scope waits(mark_, Activity::kAwaitsWorkers);
  const CountedTime counts(group_.waited());
  if (!group_.Await([&] { return CanGoOn(); })) group_.ThrowStalled(rank_, group_.LateRank());
}

// Returns whether `count` of each rank is `least` or more.
bool MemoryCollective::All(std::atomic<int64_t> MemoryBoard::Progress::*count,
                           int64_t least) const {
  for (const MemoryBoard::Progress& one : group_.board().progress)
    if ((one.*count).load(std::memory_order_acquire) < least) return false;
  return true;
}

// A chunk can be written if all ranks have read the one that was in its place, and read if all have
// written theirs. REQUIRES: an operation is under way.
bool MemoryCollective::CanGoOn() const {
  return started_[first_ % kMostStarted].written
             ? All(&MemoryBoard::Progress::written, turn_ + 1)
             : All(&MemoryBoard::Progress::read, turn_ + 1 - MemoryBoard::kTurns);
}

// Returns whether an operation went on. They follow each other.
bool MemoryCollective::GoOn() {
  bool moved = false;
  for (; first_ < next_ && CanGoOn(); moved = true) {
    Started& one = started_[first_ % kMostStarted];
    one.written ? ReadChunk(&one) : WriteChunk(&one);
    if (one.done) ++first_;
  }
  return moved;
}

void MemoryCollective::WriteChunk(Started* one) {
  const MemoryBoard& board = group_.board();
  const auto place = static_cast<int>(turn_ % MemoryBoard::kTurns);
  const int64_t bytes = ChunkOf(one->bytes, one->at);
  const bool root_alone = one->kind == Kind::kBroadcast || one->summed;
  const int root = one->summed ? 0 : one->root;
  const std::span<const std::byte> from = one->summed ? one->out : one->in;
  if (bytes > 0 && (!root_alone || rank_ == root))
    std::memcpy(board.chunk(place, rank_), from.data() + one->at, bytes);
  one->written = true;
  board.progress[rank_].written.store(turn_ + 1, std::memory_order_release);
  group_.Tell();
}

void MemoryCollective::ReadChunk(Started* one) {
  TakeChunk(one, static_cast<int>(turn_ % MemoryBoard::kTurns), ChunkOf(one->bytes, one->at));
  ++turn_;
  one->written = false;
  one->done = !one->summed && one->at == one->bytes;
  group_.board().progress[rank_].read.store(turn_, std::memory_order_release);
  group_.Tell();
}

void MemoryCollective::TakeChunk(Started* one, int turn, int64_t bytes) {
  const MemoryBoard& board = group_.board();
  std::byte* const out = one->out.data() + one->at;
  if (one->kind == Kind::kSumDoubles && group_.between() && !one->summed && one->bytes > 0) {
    if (rank_ == 0) AddUpBetween(*one, turn, bytes);
    one->summed = true;  // rank 0 publishes the sum in the next turn
    return;
  }
  if (bytes > 0) {
    if (one->kind == Kind::kBroadcast || one->summed) {
      if (rank_ != (one->summed ? 0 : one->root))
        std::memcpy(out, board.chunk(turn, one->summed ? 0 : one->root), bytes);
    } else if (one->kind == Kind::kSumDoubles)
      AddUpChunk<double>(*one, turn, bytes);
    else
      AddUpChunk<float>(*one, turn, bytes);
  }
  one->summed = false;
  one->at += bytes;
}

template <typename T>
void MemoryCollective::AddUpChunk(const Started& one, int turn, int64_t bytes) const {
  const MemoryBoard& board = group_.board();
  AddUpWorkers(
      SumNode{0, size()},
      [&](int rank) { return reinterpret_cast<const T*>(board.chunk(turn, rank)); },
      bytes / static_cast<int64_t>(sizeof(T)), reinterpret_cast<T*>(one.out.data() + one.at));
}

// Adds up one chunk over all ranks of the group. Rank 0 does so for all ranks that share memory.
void MemoryCollective::AddUpBetween(const Started& one, int turn, int64_t bytes) {
  const MemoryBoard& board = group_.board();
  const auto n = static_cast<size_t>(bytes) / sizeof(double);
  const std::vector<SumNode>& nodes = group_.nodes();
  std::vector<double> parts(nodes.size() * n);
  for (size_t i = 0; i < nodes.size(); ++i)
    AddUpWorkers(
        nodes[i],
        [&](int worker) {
          return reinterpret_cast<const double*>(board.chunk(turn, worker - group_.first()));
        },
        static_cast<int64_t>(n), &parts[i * n]);
  const ActivityMark::Scope waits(mark_, Activity::kAwaitsProcesses);
  const CountedTime counts(group_.waited());
  Collective& between = *group_.between();
  between.Await(
      between.StartAllReduce(parts, {reinterpret_cast<double*>(one.out.data() + one.at), n}));
}

void MemoryCollective::ReduceScatter(Context& ctx, int64_t pieces, const PieceWork& work,
                                     std::span<float> room) {
  CHECK_EQ(first_, next_) << "operations are under way";
  if (ring_) return ring_->Run(ctx, pieces, work);
  group_.works()[rank_] = &work;
  if (rank_ == 0) group_.next_piece() = 0;
  Barrier();
  try {
    ReduceByThreads(&group_, ctx, pieces, room);
  } catch (...) {
    Barrier();  // other ranks may still call the work
    throw;
  }
  Barrier();
}

int MemoryCollective::NotFiniteRank(const Context& ctx, int64_t piece, int64_t begin,
                                    int64_t n) const {
  const int rank = ring_ ? ring_->NotFiniteRank(ctx, piece, begin, n)
                         : NotFiniteThread(&group_, ctx, piece, begin, n);
  return rank < 0 ? rank : group_.first() + rank;
}

}  // namespace singa
