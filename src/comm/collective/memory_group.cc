#include "comm/collective/memory_group.h"

#include <algorithm>
#include <chrono>

#include "singa/base/error.h"
#include "singa/base/str_cat.h"

namespace singa {

MemoryGroup::MemoryGroup(const Options& options)
    : options_(options),
      nodes_(SumTree(options.group).NodesOf(options.ranks)),
      works_(options.ranks.workers()) {
  if (options.shared) return;
  const MemoryBoard::Size size = {.ranks = this->size(), .buffers = options.buffers};
  memory_ = std::make_unique<std::byte[]>(MemoryBoard::Bytes(size));
  own_ = MemoryBoard(size, memory_.get());
}

void MemoryGroup::Stop() {
  stopped_.store(true, std::memory_order_release);
  board().changed->Tell();
  if (board().ring) board().ring->changed.Tell();
}

void MemoryGroup::Tell() {
  if (size() > 1) board().changed->Tell();
}

// All ranks write the same chunks and parts in the same order, so the rank that wrote least is
// late.
int MemoryGroup::LateRank() const {
  const auto& all = board().progress;
  const auto beats = [](const MemoryBoard::Progress& one) { return one.written + one.parts; };
  return static_cast<int>(std::ranges::min_element(all, {}, beats) - all.begin());
}

// The error names ranks by their numbers in the whole group.
void MemoryGroup::ThrowStalled(int rank, int late) const {
  const auto longest =
      std::chrono::duration_cast<std::chrono::seconds>(options_.deadline->longest());
  throw Error(kExitStalled,
              StrCat("worker ", first() + late, " of the group stands still: no progress for ",
                     longest.count(), " s, while worker ", first() + rank, " waits for it"));
}

int PieceSlots(std::span<const SumNode> nodes) {
  int slots = 0;
  for (size_t i = 0; i < nodes.size(); ++i)
    slots = std::max(slots, static_cast<int>(i) + DepthOf(nodes[i]) + 1);
  return slots;
}

}  // namespace singa
