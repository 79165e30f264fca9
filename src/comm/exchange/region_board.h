// RegionBoard has the regions that the workers of one group offer each other. All workers share it:
// threads of one process, or of several that map the same memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "comm/collective/memory_layout.h"
#include "comm/exchange/region_exchange.h"
#include "math/reduction/sum_tree.h"

namespace singa {

// The regions that the workers of a group offer each other.
struct RegionSizes {
  int workers = 1, tags = 0;
  int64_t most = 0;  // floats of a region at most; the same in all processes
  // Returns the floats of the region that worker `from` offers worker `to`, another one.
  std::function<int64_t(int tag, int from, int to)> floats = {};
};

class RegionBoard {
 public:
  struct alignas(64) Offer {
    // Offers so far, and those that were taken. A region is on offer while they differ.
    std::atomic<uint32_t> offered, taken;
    Region region;  // the sender's; unused if the board has memory for it

    bool open() const {
      return offered.load(std::memory_order_acquire) != taken.load(std::memory_order_acquire);
    }
  };

  RegionBoard() = default;
  // Returns the bytes of a board for workers `here`, threads of one process.
  static int64_t Bytes(const RegionSizes& sizes, SumNode here);
  // For workers `here` of the group, threads of one process, who read regions where the sender has
  // them.
  RegionBoard(const RegionSizes& sizes, SumNode here);
  // For all workers, in several processes: places the board in `layout`'s memory, which is zero at
  // first, with memory for each region. If `layout` only counts, the board must not be used.
  RegionBoard(const RegionSizes& sizes, MemoryLayout* layout);

  // Workers are numbered in the whole group.
  Offer& offer(int tag, int from, int to) const { return offers_[At(tag, from, to)]; }
  // Returns the memory for a region; null: it stays where the sender has it.
  float* memory(int tag, int from, int to) const {
    return memory_.empty() ? nullptr : memory_[At(tag, from, to)];
  }

 private:
  size_t At(int tag, int from, int to) const {
    const int n = here_.workers();
    return (static_cast<size_t>(tag) * n + (from - here_.first)) * n + (to - here_.first);
  }

  SumNode here_ = {0, 0};
  std::unique_ptr<Offer[]> own_;  // null: the offers are in memory that processes share
  Offer* offers_ = nullptr;
  std::vector<float*> memory_;
};

}  // namespace singa
