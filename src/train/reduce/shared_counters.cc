#include "train/reduce/shared_counters.h"

namespace singa {
namespace {

// Memory in pieces, one after the other; null: only counts.
class Pieces {
 public:
  explicit Pieces(std::byte* memory) : memory_(memory) {}

  template <typename T>
  std::span<T> Take(int64_t n) {
    static_assert(sizeof(T) <= kAlignment && alignof(T) <= 8);
    T* const at = memory_ ? reinterpret_cast<T*>(memory_ + bytes_) : nullptr;
    bytes_ += (n * static_cast<int64_t>(sizeof(T)) + kAlignment - 1) / kAlignment * kAlignment;
    return {at, memory_ ? static_cast<size_t>(n) : 0};
  }
  int64_t bytes() const { return bytes_; }

 private:
  static constexpr int64_t kAlignment = 64;  // no two pieces in one line of a cache

  std::byte* const memory_;
  int64_t bytes_ = 0;
};

int64_t Lay(const SliceTable& table, int workers, std::byte* memory, SharedCounters* board) {
  static_assert(std::atomic<int32_t>::is_always_lock_free);
  static_assert(std::atomic<int64_t>::is_always_lock_free);
  Pieces pieces(memory);
  board->step = pieces.Take<SharedCounters::Step>(1).data();
  board->barrier = pieces.Take<BarrierNumbers>(1).data();
  board->dropped = pieces.Take<std::atomic<int64_t>>(1).data();
  board->failed = pieces.Take<std::atomic<int64_t>>(1).data();
  board->beats = pieces.Take<std::atomic<int64_t>>(workers);
  board->arrived = pieces.Take<std::atomic<int32_t>>(table.params());
  board->taken = pieces.Take<std::atomic<int32_t>>(table.params());
  board->offered = pieces.Take<std::atomic<int32_t>>(table.params());
  board->ring = pieces.Take<SharedCounters::Ring>(1).data();
  board->parts_here = pieces.Take<std::atomic<uint32_t>>(SharedCounters::kSlots);
  board->turns_done = pieces.Take<std::atomic<uint32_t>>(SharedCounters::kSlots);
  board->counts = pieces.Take<int64_t>(table.size());
  board->squares = pieces.Take<double>(table.size());
  board->numbers = pieces.Take<double>(SharedCounters::kNumbers * workers);
  return pieces.bytes();
}

}  // namespace

int64_t SharedCounters::Bytes(const SliceTable& table, int workers) {
  SharedCounters none;
  return Lay(table, workers, nullptr, &none);
}

SharedCounters::SharedCounters(const SliceTable& table, int workers, std::byte* memory) {
  Lay(table, workers, memory, this);
}

}  // namespace singa
