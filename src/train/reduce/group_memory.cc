#include "train/reduce/group_memory.h"

namespace singa {
namespace {

constexpr int64_t kAlignment = 64;

int64_t Aligned(int64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

GroupMemory::GroupMemory(const SliceTable& table, int workers, int states, std::byte* memory,
                         int threads)
    : memory_(memory), workers_(workers), states_(states) {
  for (int param = 0; param < table.params(); ++param) {
    places_.push_back(copy_bytes_);
    copy_bytes_ += Aligned(table.size_of(param) * static_cast<int64_t>(sizeof(float)));
  }
  floats_ = Aligned(SharedCounters::Bytes(table, workers));
  slots_ = floats_ + copy_bytes_ * (1 + states + workers);
  bytes_ = slots_ + SharedCounters::kSlots * workers_ * SliceTable::kMost *
                        static_cast<int64_t>(sizeof(float));
  if (memory) board_ = SharedCounters(table, workers, memory);
  if (threads > 0) board_.ring->threads = threads;
}

SharedStates GroupMemory::shared_states() const {
  SharedStates shared{std::vector<std::vector<float*>>(places_.size()), board_.counts};
  for (size_t param = 0; param < places_.size(); ++param)
    for (int i = 0; i < states_; ++i)
      shared.states[param].push_back(state(i, static_cast<int>(param)));
  return shared;
}

}  // namespace singa
