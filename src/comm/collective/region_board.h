// RegionBoard has the regions that the workers of one group offer each other. All workers share it:
// threads of one process, or of several that map the same memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "comm/collective/memory_layout.h"
#include "comm/collective/region_exchange.h"

namespace singa {

// The floats of each region that workers offer each other.
struct RegionSizes {
  int workers = 1;
  std::vector<int64_t> floats;  // by tag, sender and receiver

  int tags() const { return static_cast<int>(floats.size()) / (workers * workers); }
  size_t At(int tag, int from, int to) const {
    return (static_cast<size_t>(tag) * workers + from) * workers + to;
  }
};

class RegionBoard {
 public:
  struct Offer {
    // Offers so far, and those that were taken. A region is on offer while they differ.
    std::atomic<uint32_t> offered, taken;
    Region region;  // the sender's; unused if the board has memory for it

    bool open() const {
      return offered.load(std::memory_order_acquire) != taken.load(std::memory_order_acquire);
    }
  };

  // For threads of one process, who read regions where the sender has them.
  explicit RegionBoard(const RegionSizes& sizes);
  // For several processes: places the board in `layout`'s memory, which is zero at first, with
  // memory for each region. If `layout` only counts, the board must not be used.
  RegionBoard(const RegionSizes& sizes, MemoryLayout* layout);

  Offer& offer(int tag, int from, int to) const { return offers_[sizes_.At(tag, from, to)]; }
  // Returns the memory for a region; null: it stays where the sender has it.
  float* memory(int tag, int from, int to) const {
    return memory_.empty() ? nullptr : memory_[sizes_.At(tag, from, to)];
  }

 private:
  RegionSizes sizes_;
  std::unique_ptr<Offer[]> own_;  // null: the offers are in memory that processes share
  Offer* offers_ = nullptr;
  std::vector<float*> memory_;
};

}  // namespace singa
