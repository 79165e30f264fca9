#include "train/reduce/group_memory.h"

#include "comm/collective/memory_layout.h"

namespace singa {

GroupMemory::GroupMemory(const SliceTable& table, int workers, int states, std::byte* memory,
                         int threads, const RegionSizes& regions)
    : states_(states) {
  MemoryLayout copy(nullptr);
  for (int param = 0; param < table.params(); ++param) {
    places_.push_back(copy.bytes());
    copy.Allocate<float>(table.size_of(param));
  }
  copy_bytes_ = copy.bytes();
  const MemoryBoard::Size size = {
      .ranks = workers, .buffers = table.params(), .slot_floats = SliceTable::kMost};
  MemoryLayout layout(memory);
  std::byte* const board = layout.Allocate<std::byte>(MemoryBoard::Bytes(size)).data();
  verdict_.dropped = layout.Allocate<std::atomic<int64_t>>(1).data();
  verdict_.failed = layout.Allocate<std::atomic<int64_t>>(1).data();
  verdict_.squares = layout.Allocate<double>(table.size());
  counts_ = layout.Allocate<int64_t>(table.size());
  copies_ = layout.Allocate<std::byte>(copy_bytes_ * (1 + states + workers)).data();
  regions_ = RegionBoard(regions, &layout);
  bytes_ = layout.bytes();
  if (!memory) return;
  board_ = MemoryBoard(size, board);
  if (threads > 0) board_.ring->threads = threads;
}

SharedStates GroupMemory::shared_states() const {
  SharedStates shared{std::vector<std::vector<float*>>(places_.size()), counts_};
  for (size_t param = 0; param < places_.size(); ++param)
    for (int i = 0; i < states_; ++i)
      shared.states[param].push_back(state(i, static_cast<int>(param)));
  return shared;
}

}  // namespace singa
