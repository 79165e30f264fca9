#include "train/local_group.h"

#include <algorithm>
#include <utility>

#include "math/parallel_slices.h"

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

// sum += other
void AddTo(const float* other, int64_t n, float* sum) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) sum[i] += other[i];
}

}  // namespace

void LocalGroup::SetParams(const std::vector<Shape>& params) {
  table_ = SliceTable(params);
  arrived_.resize(params.size());
  offered_.reserve(table_.size());
}

void LocalGroup::Arrive(int param) {
  if (++arrived_[param] < workers()) return;
  arrived_[param] = 0;
  const auto [first, last] = table_.OfParam(param);
  const std::lock_guard lock(lock_);
  for (int s = last; s-- > first;) offered_.push_back(s);
}

void LocalGroup::AddOffered(Context& ctx, int64_t step) {
  for (;;) {
    int slice;
    {
      const std::lock_guard lock(lock_);
      if (offered_.empty()) return;
      slice = offered_.back();
      offered_.pop_back();
    }
    AddSlice(ctx, slice, step);
  }
}

// Into the first worker's gradient.
void LocalGroup::AddSlice(Context& ctx, int slice, int64_t step) {
  const Slice& cut = table_[slice];
  float* const sum = gradients_[0][cut.param] + cut.begin;
  for (int w = 1; w < workers(); ++w) AddTo(gradients_[w][cut.param] + cut.begin, cut.size, sum);
  updates_->Take(ctx, slice, step, sum);
}

// Every thread of every worker takes the next piece of the param until there is none: a worker that
// is late gets fewer. Nobody leaves while another may still need its rows.
void LocalGroup::TakePieces(Context& ctx, int worker, int param, int64_t row,
                            const GradientRows& rows, std::span<float> room) {
  const std::pair<int, int> slices = table_.OfParam(param);
  const int first = slices.first, last = slices.second;
  const int threads = std::max(1, ctx.threads), all = threads * workers();
  const int64_t together = SliceTable::kMost / table_[first].size;  // slices of a piece, at most
  const int64_t least = (last - first + together - 1) / together;
  const int64_t pieces = std::min<int64_t>((least + all - 1) / all * all, last - first);
  rows_[worker] = &rows;
  if (worker == 0) next_piece_ = 0;
  barrier_.Arrive();
  const auto work = [&](int64_t, int64_t, int64_t thread) {
    Context own = OfThread(ctx, thread);
    float* const piece = room.data() + thread * static_cast<int64_t>(room.size()) / threads;
    for (int64_t i = next_piece_++; i < pieces; i = next_piece_++)
      TakePiece(own, row, first + static_cast<int>((last - first) * i / pieces),
                first + static_cast<int>((last - first) * (i + 1) / pieces), ctx.state->step,
                piece);
  };
  ParallelSlices(ctx, threads * kParallelElements, kParallelElements, work);
  barrier_.Arrive();
}

// Slices [first, last), which are whole rows of `row` floats; `piece`: room for twice as many.
void LocalGroup::TakePiece(Context& ctx, int64_t row, int first, int last, int64_t step,
                           float* piece) {
  const int64_t begin = table_[first].begin;
  const int64_t size = table_[last - 1].begin + table_[last - 1].size - begin;
  float* const other = piece + size;
  (*rows_[0])(ctx, begin / row, size / row, piece);
  for (int w = 1; w < workers(); ++w) {
    (*rows_[w])(ctx, begin / row, size / row, other);
    AddTo(other, size, piece);
  }
  for (int s = first; s < last; ++s) updates_->Take(ctx, s, step, piece + table_[s].begin - begin);
}

void LocalGroup::Finish(Context& ctx, int worker, int64_t step) {
  AddOffered(ctx, step);
  barrier_.Arrive();
  if (worker == 0)  // of a step that was dropped, some gradients were never given
    for (std::atomic<int>& arrived : arrived_) arrived = 0;
  updates_->Finish(ctx, step, worker, workers());
  barrier_.Arrive();
}

void LocalGroup::Sum(int worker, std::span<double> values) {
  numbers_[worker] = values;
  barrier_.Arrive();
  std::vector<double> sums(values.size());
  for (const std::span<double>& numbers : numbers_)
    for (size_t i = 0; i < sums.size(); ++i) sums[i] += numbers[i];
  if (between_) {
    if (worker == 0) {
      between_->Sum(sums);
      sums_ = sums;
    }
    barrier_.Arrive();
    sums = sums_;
  }
  barrier_.Arrive();
  std::copy(sums.begin(), sums.end(), values.begin());
}

}  // namespace singa
