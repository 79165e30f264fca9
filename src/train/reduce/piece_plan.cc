#include "train/reduce/piece_plan.h"

#include <algorithm>

#include "comm/collective/memory_group.h"

namespace singa {
namespace {

constexpr int64_t kPieceBytes = SliceTable::kMost * static_cast<int64_t>(sizeof(float));

}  // namespace

PiecePlan::PiecePlan(SumNode here, int group, int threads, bool spans_processes)
    : group_(group),
      threads_(std::max(1, threads)),
      spans_processes_(spans_processes),
      slots_(PieceSlots(SumTree(group).NodesOf(here))) {}

bool PiecePlan::Wants(const NetNode& node, const Param& param) const {
  const int64_t room_of_two = std::min(group_, 2) * threads_ * kPieceBytes;  // in one process
  const int64_t row = param.size() / param.shape()[0];
  return std::ranges::find(node.in_pieces, &param) != node.in_pieces.end() &&
         param.data.bytes() > room_of_two && row <= SliceTable::kMost / SliceTable::kLeastRows;
}

int64_t PiecePlan::bytes() const {
  const int64_t pieces = spans_processes_ ? MemoryBoard::kSlots : slots_ * threads_;
  return pieces * kPieceBytes;
}

GradientPieces PiecePlan::Cut(const SliceTable& table, int param, int group, int64_t threads) {
  const auto [first, last] = table.OfParam(param);
  const int64_t n = last - first, takers = threads * group;
  const int64_t together = SliceTable::kMost / table[first].size;  // most slices of a piece
  const int64_t least = (n + together - 1) / together;
  return {first, last, std::min((least + takers - 1) / takers * takers, n)};
}

}  // namespace singa
