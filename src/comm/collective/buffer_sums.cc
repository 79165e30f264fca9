#include "comm/collective/buffer_sums.h"

#include <array>

#include "math/finite.h"

namespace singa {

BufferSums::BufferSums(const SliceTable& table, MemoryGroup* group)
    : table_(table), group_(*group), buffers_(group->size()) {
  const SumNode here = {group->first(), group->first() + group->size()};
  for (const Slice& slice : table.slices())
    if (!slice.by.all() && !nodes_.contains(slice.by)) nodes_[slice.by] = slice.by.NodesOf(here);
}

// The last rank that offers a buffer opens it.
void BufferSums::Offer(int buffer) {
  const MemoryBoard& board = group_.board();
  if (++board.arrived[buffer] < group_.size()) return;
  board.offered[board.offers->buffers++] = 1 + buffer;
}

// Returns a slice that no other thread takes, or -1 if there is none now.
int BufferSums::NextSlice() {
  const MemoryBoard& board = group_.board();
  for (;;) {
    int32_t open = board.offers->open;
    if (open >= board.offers->buffers) return -1;
    const int buffer = board.offered[open] - 1;
    if (buffer < 0) return -1;  // the rank that offers it adds it up
    const auto [first, last] = table_.OfParam(buffer);
    const int slice = first + board.taken[buffer]++;
    if (slice < last) return slice;
    board.offers->open.compare_exchange_strong(open, open + 1);
  }
}

void BufferSums::Reduce(Context& ctx, Consumer* consumer) {
  for (int slice = NextSlice(); slice >= 0; slice = NextSlice()) AddUpSlice(ctx, slice, consumer);
}

void BufferSums::AddUpSlice(Context& ctx, int slice, Consumer* consumer) {
  const Slice& cut = table_[slice];
  const std::vector<SumNode>& nodes = NodesOf(cut);
  if (nodes.empty()) return;
  const auto part = [&](int place) { return At(cut, place); };
  std::array<float*, SumTree::kMostNodes> sums;  // on the stack: a step allocates nothing
  for (size_t i = 0; i < nodes.size(); ++i) {
    sums[i] = part(nodes[i].first);
    if (nodes[i].workers() > 1) AddUpWorkers(nodes[i], part, cut.size, sums[i]);
  }
  consumer->Consume(ctx, slice, {sums.data(), nodes.size()});
}

int BufferSums::NotFiniteRank(const Context& ctx, int slice) const {
  const Slice& cut = table_[slice];
  for (const SumNode& node : NodesOf(cut))
    for (int place = node.last - 1; place >= node.first; --place) {
      const float* const own = At(cut, place);
      if (!own) return -1;
      if (!AllFinite(ctx, own, cut.size)) return cut.by.Worker(place);
    }
  return -1;
}

void BufferSums::Restart() {
  const MemoryBoard& board = group_.board();
  board.offers->buffers = board.offers->open = 0;
  for (const auto& numbers : {board.arrived, board.taken, board.offered})
    for (std::atomic<int32_t>& number : numbers) number = 0;
}

std::vector<float*> BufferSums::SumsOfFirst() const {
  std::vector<float*> sums;
  sums.reserve(table_.size());
  for (const Slice& cut : table_.slices()) {
    const std::vector<SumNode>& nodes = NodesOf(cut);
    sums.push_back(nodes.empty() ? nullptr : At(cut, nodes[0].first));
  }
  return sums;
}

}  // namespace singa
