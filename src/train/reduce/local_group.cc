#include "train/reduce/local_group.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "base/thread/counted_time.h"
#include "base/thread/threads_activity.h"
#include "math/parallel_slices.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// Context of one thread of a worker.
Context OfThread(const Context& ctx, int64_t thread) {
  Context own = ctx;
  own.threads = 1;
  own.scratch = nullptr;
  if (thread > 0) own.trace = nullptr;
  return own;
}

// One entry for each node, on the stack: a step allocates nothing.
using NodePointers = std::array<float*, SumTree::kMostNodes>;

}  // namespace

void LocalGroup::SetParams(const std::vector<Shape>& params) {
  table_ = SliceTable(params);
  if (spans_processes()) return;
  own_ = std::make_unique<uint64_t[]>(SharedCounters::Bytes(table_, workers()) / sizeof(uint64_t));
  board_ = SharedCounters(table_, workers(), reinterpret_cast<std::byte*>(own_.get()));
}

void LocalGroup::Share(const GroupMemory& memory) {
  board_ = memory.board();
  barrier_.Share(board_.barrier);
  for (int worker = 0; worker < workers(); ++worker) {
    std::vector<float*> gradients;
    for (int param = 0; param < table_.params(); ++param)
      gradients.push_back(memory.gradient(worker, param));
    SetGradients(worker, std::move(gradients));
    rings_.push_back(
        std::make_unique<PieceRing>(memory, workers(), worker, deadline_, barrier_.stopped()));
  }
}

void LocalGroup::SetGradients(int worker, std::vector<float*> gradients) {
  gradients_[worker] = std::move(gradients);
  if (worker > 0) return;
  sums_.clear();
  for (const Slice& cut : table_.slices()) {
    float* const whole = gradients_[0][cut.param];
    sums_.push_back(whole ? whole + cut.begin : nullptr);
  }
}

int LocalGroup::piece_slots() const {
  int slots = 0;
  for (size_t i = 0; i < nodes_.size(); ++i)
    slots = std::max(slots, static_cast<int>(i) + DepthOf(nodes_[i]) + 1);
  return slots;
}

void LocalGroup::Arrive(int worker) {
  if (workers() == 1) return barrier_.Arrive();
  const ActivityMark::Scope waits(marks_[worker], Activity::kAwaitsWorkers);
  const CountedTime counts(&waited_);
  ++board_.beats[worker];
  try {
    barrier_.Arrive(deadline_);
  } catch (const Overdue&) {
    ThrowStalled(worker);
  }
}

// All come to the same places in the same order: who came to fewest is waited for.
void LocalGroup::ThrowStalled(int worker) const {
  const auto last = std::min_element(board_.beats.begin(), board_.beats.end());
  throw Error(kExitStalled,
              StrCat("worker ", last - board_.beats.begin(),
                     " of the group stands still: nothing of it for ",
                     std::chrono::duration_cast<std::chrono::seconds>(deadline_->longest()).count(),
                     " s, while worker ", worker, " waits for it"));
}

void LocalGroup::Offer(int param) {
  if (++board_.arrived[param] < workers()) return;
  board_.offered[board_.step->params++] = 1 + param;
}

// A slice that nobody else takes, or -1: there is none now.
int LocalGroup::NextOffered() {
  for (;;) {
    int32_t open = board_.step->open;
    if (open >= board_.step->params) return -1;
    const int param = board_.offered[open] - 1;
    if (param < 0) return -1;  // who offers it takes it
    const auto [first, last] = table_.OfParam(param);
    const int slice = first + board_.taken[param]++;
    if (slice < last) return slice;
    board_.step->open.compare_exchange_strong(open, open + 1);
  }
}

void LocalGroup::AddOffered(Context& ctx, int64_t step) {
  for (int slice = NextOffered(); slice >= 0; slice = NextOffered()) AddSlice(ctx, slice, step);
}

// Each node into the gradient of its first worker.
void LocalGroup::AddSlice(Context& ctx, int slice, int64_t step) {
  const Slice& cut = table_[slice];
  const auto gradient = [&](int w) { return gradients_[w - first_][cut.param] + cut.begin; };
  NodePointers sums;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    sums[i] = gradient(nodes_[i].first);
    if (nodes_[i].workers() > 1) AddUpWorkers(nodes_[i], gradient, cut.size, sums[i]);
  }
  updates_->Take(ctx, slice, step, {sums.data(), nodes_.size()});
}

// As large as the cache takes, and as many for each of the group's threads, wherever they are: bits
// of a product may depend on how its rows are cut.
LocalGroup::Pieces LocalGroup::Cut(SliceRange slices, int64_t threads) const {
  const int64_t n = slices.last - slices.first, takers = threads * group_;
  const int64_t together = SliceTable::kMost / table_[slices.first].size;  // at most
  const int64_t least = (n + together - 1) / together;
  return {slices, std::min((least + takers - 1) / takers * takers, n)};
}

// Where they begin in their param, and how many they are.
std::pair<int64_t, int64_t> LocalGroup::FloatsOf(SliceRange slices) const {
  const int64_t begin = table_[slices.first].begin;
  return {begin, table_[slices.last - 1].begin + table_[slices.last - 1].size - begin};
}

// Every thread of every worker takes the next piece of the param until there is none: a worker that
// is late gets fewer. Nobody leaves while another may still need its rows.
void LocalGroup::TakePieces(Context& ctx, int worker, int param, int64_t row,
                            const GradientRows& rows, std::span<float> room) {
  const int threads = std::max(1, ctx.threads);
  const auto [first, last] = table_.OfParam(param);
  if (spans_processes())
    return TakeByRing(ctx, worker, row, rows, Cut({first, last}, board_.ring->threads));
  const Pieces pieces = Cut({first, last}, threads);
  rows_[worker] = &rows;
  if (worker == 0) next_piece_ = 0;
  Arrive(worker);
  const auto work = [&](int64_t, int64_t, int64_t thread) {
    Context own = OfThread(ctx, thread);
    float* const own_room = room.data() + thread * static_cast<int64_t>(room.size()) / threads;
    for (int64_t i = next_piece_++; i < pieces.count; i = next_piece_++)
      TakePiece(own, row, pieces[i], ctx.state->step, own_room);
  };
  ParallelSlices(ctx, threads * kParallelElements, kParallelElements, work);
  Arrive(worker);
}

// Slices are whole rows of `row` floats; `room`: of piece_slots() as large.
void LocalGroup::TakePiece(Context& ctx, int64_t row, SliceRange slices, int64_t step,
                           float* room) {
  const auto [begin, size] = FloatsOf(slices);
  const auto slot_at = [room, size = size](int slot) { return room + slot * size; };
  const auto is_worker = [](SumNode node) { return node.workers() == 1; };
  const auto compute = [&, begin = begin, size = size](SumNode node, int slot) {
    (*rows_[node.first - first_])(ctx, begin / row, size / row, slot_at(slot));
    return slot_at(slot);
  };
  const auto add = [size = size](float* a, const float* b, int) {
#pragma omp simd
    for (int64_t i = 0; i < size; ++i) a[i] += b[i];
    return a;
  };
  NodePointers sums;
  for (size_t i = 0; i < nodes_.size(); ++i)
    sums[i] = WalkSumTree(nodes_[i], static_cast<int>(i), is_worker, compute, add);
  TakeSlices(ctx, slices, step, {sums.data(), nodes_.size()});
}

void LocalGroup::TakeSlices(Context& ctx, SliceRange slices, int64_t step,
                            std::span<float* const> sums) {
  const int64_t begin = table_[slices.first].begin;
  NodePointers of_slice;
  for (int s = slices.first; s < slices.last; ++s) {
    for (size_t i = 0; i < sums.size(); ++i) of_slice[i] = sums[i] + (table_[s].begin - begin);
    updates_->Take(ctx, s, step, {of_slice.data(), sums.size()});
  }
}

void LocalGroup::TakeByRing(Context& ctx, int worker, int64_t row, const GradientRows& rows,
                            const Pieces& pieces) {
  PieceRing& ring = *rings_[worker];
  ring.Begin(pieces.count);
  ThreadsActivity mark(marks_[worker], Activity::kAwaitsWorkers);
  const auto work = [&](int64_t, int64_t, int64_t thread) {
    Context own = OfThread(ctx, thread);
    const auto compute = [&](int64_t i, float* to) {
      const ThreadsActivity::Scope computes(&mark, Activity::kGradient);
      const auto [begin, size] = FloatsOf(pieces[i]);
      rows(own, begin / row, size / row, to);
    };
    const auto add = [&](int64_t i, const std::vector<float*>& parts) {
      const ThreadsActivity::Scope updates(&mark, Activity::kUpdating);
      AddUpWorkers(
          nodes_[0], [&parts](int w) { return parts[w]; }, FloatsOf(pieces[i]).second, parts[0]);
      TakeSlices(own, pieces[i], ctx.state->step, {parts.data(), 1});
    };
    ring.Run(compute, add);
  };
  const int64_t threads = std::max(1, ctx.threads);
  ParallelSlices(ctx, threads * kParallelElements, kParallelElements, work);
  waited_ += ring.TakeWait() / threads;
  if (barrier_.stopped()) throw Stopped();
  if (ring.overdue()) ThrowStalled(worker);
}

void LocalGroup::Finish(Context& ctx, int worker, int64_t step) {
  AddOffered(ctx, step);
  Arrive(worker);
  if (worker == 0) Clear();
  updates_->Finish(ctx, step, worker, workers(), sums_);
  Arrive(worker);
}

// For the next step. Of one that was dropped, some gradients were never given.
void LocalGroup::Clear() {
  board_.step->params = board_.step->open = 0;
  for (const auto& numbers : {board_.arrived, board_.taken, board_.offered})
    for (std::atomic<int32_t>& number : numbers) number = 0;
}

void LocalGroup::Sum(int worker, std::span<double> values) {
  for (size_t begin = 0; begin < values.size(); begin += SharedCounters::kNumbers)
    SumRun(worker, values.subspan(
                       begin, std::min<size_t>(SharedCounters::kNumbers, values.size() - begin)));
}

std::span<double> LocalGroup::NumbersOf(int worker, size_t count) const {
  return board_.numbers.subspan(worker * SharedCounters::kNumbers, count);
}

void LocalGroup::SumRun(int worker, std::span<double> values) {
  std::copy(values.begin(), values.end(), NumbersOf(worker, values.size()).begin());
  Arrive(worker);
  if (between_) return SumBetween(worker, values);
  AddUpWorkers(
      nodes_[0], [&](int w) { return NumbersOf(w, values.size()).data(); },
      static_cast<int64_t>(values.size()), values.data());
  Arrive(worker);
}

// The first worker asks the other processes.
void LocalGroup::SumBetween(int worker, std::span<double> values) {
  const size_t n = values.size();
  if (worker == 0) {
    std::vector<double> sums(nodes_.size() * n);
    for (size_t i = 0; i < nodes_.size(); ++i)
      AddUpWorkers(
          nodes_[i], [&](int w) { return NumbersOf(w - first_, n).data(); },
          static_cast<int64_t>(n), &sums[i * n]);
    const ActivityMark::Scope waits(marks_[worker], Activity::kAwaitsProcesses);
    const CountedTime counts(&waited_);
    between_->Sum(sums, NumbersOf(0, n));
  }
  Arrive(worker);
  std::ranges::copy(NumbersOf(0, n), values.begin());
  Arrive(worker);
}

}  // namespace singa
