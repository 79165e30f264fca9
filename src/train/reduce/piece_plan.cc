#include "train/reduce/piece_plan.h"

#include <algorithm>

#include "comm/collective/memory_group.h"

namespace singa {
namespace {

constexpr int64_t kPieceBytes = SliceTable::kMost * static_cast<int64_t>(sizeof(float));

// Cuts slices [first, last) into pieces for `takers` threads.
GradientPieces CutSlices(const SliceTable& table, int first, int last, int64_t takers) {
  const int64_t n = last - first;
  const int64_t together = SliceTable::kMost / table[first].size;  // most slices of a piece
  const int64_t least = (n + together - 1) / together;
  return {first, last, std::min((least + takers - 1) / takers * takers, n)};
}

}  // namespace

PiecePlan::PiecePlan(SumNode here, int group, int threads, bool spans_processes)
    : group_(group),
      threads_(std::max(1, threads)),
      spans_processes_(spans_processes),
      slots_(PieceSlots(SumTree(group).NodesOf(here))) {}

// One worker, or all, must compute the gradient: pieces of some workers have no group to meet in.
bool PiecePlan::Wants(const NetNode& node, const Param& param) const {
  const int contributors = param.contributors();
  if (contributors > 1 || (contributors == 1 && !param.is_part())) return false;
  const int64_t room_of_two = std::min(group_, 2) * threads_ * kPieceBytes;  // in one process
  const int64_t row = param.size() / param.shape()[0];
  // The parts of a divided param may differ by a row, and all workers answer the same.
  const int64_t rows = param.is_part() ? param.whole_shape()[0] / group_ : param.shape()[0];
  return std::ranges::find(node.in_pieces, &param) != node.in_pieces.end() &&
         rows * row * static_cast<int64_t>(sizeof(float)) > room_of_two &&
         row <= SliceTable::kMost / SliceTable::kLeastRows;
}

int64_t PiecePlan::bytes(bool common, bool own) const {
  if (!spans_processes_) return common || own ? slots_ * threads_ * kPieceBytes : 0;
  return ((common ? MemoryBoard::kSlots : 0) + (own ? threads_ : 0)) * kPieceBytes;
}

int64_t PiecePlan::room_floats(bool own) const {
  if (spans_processes_) return own ? threads_ * SliceTable::kMost : 0;
  return slots_ * threads_ * SliceTable::kMost;
}

GradientPieces PiecePlan::Cut(const SliceTable& table, int param, int group, int64_t threads) {
  const auto [first, last] = table.OfParam(param);
  return CutSlices(table, first, last, threads * group);
}

GradientPieces PiecePlan::CutOwn(const SliceTable& table, int param, int worker, int64_t threads) {
  auto [first, last] = table.OfParam(param);
  while (first < last && table[first].by.first != worker) ++first;
  while (last > first && table[last - 1].by.first != worker) --last;
  return CutSlices(table, first, last, threads);
}

}  // namespace singa
