// CollectiveRanks is a group of ranks of each backend of Collective. Each rank is a thread of the
// test.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <ostream>
#include <thread>
#include <utility>
#include <vector>

#include "comm/collective/link_collective.h"
#include "comm/collective/memory_collective.h"
#include "support/comm/memory_links.h"

namespace singa {

enum class RanksBy {
  kThreads,    // of one process
  kProcesses,  // that share memory: each rank has a MemoryGroup of its own
  kLinks,      // messages, or MPI
};
inline std::ostream& operator<<(std::ostream& out, RanksBy by) {
  return out << (by == RanksBy::kThreads ? "Threads"
                 : by == RanksBy::kLinks ? "Links"
                                         : "Processes");
}

class CollectiveRanks {
 public:
  static constexpr int64_t kSlotFloats = 512;  // most of a piece

  CollectiveRanks(RanksBy by, int ranks, const ProgressDeadline* deadline = nullptr)
      : links_(ranks) {
    const MemoryBoard::Size size = {.ranks = ranks, .slot_floats = kSlotFloats};
    memory_.resize(MemoryBoard::Bytes(size) / sizeof(uint64_t));
    board_ = MemoryBoard(size, reinterpret_cast<std::byte*>(memory_.data()));
    board_.ring->threads = 1;
    for (int rank = 0; rank < ranks; ++rank) {
      if (by == RanksBy::kLinks) {
        std::vector<std::vector<SumNode>> nodes;
        for (int of = 0; of < ranks; ++of) nodes.push_back({{of, of + 1}});
        collectives_.push_back(std::make_unique<LinkCollective>(links_[rank], nodes));
        continue;
      }
      const bool threads = by == RanksBy::kThreads;
      if (groups_.empty() || !threads)
        groups_.push_back(std::make_unique<MemoryGroup>(
            MemoryGroup::Options{.ranks = {0, ranks},
                                 .group = ranks,
                                 .here = threads ? ranks : 1,
                                 .shared = threads ? nullptr : &board_,
                                 .deadline = deadline}));
      collectives_.push_back(
          std::make_unique<MemoryCollective>(groups_.back().get(), rank, nullptr));
    }
  }

  int size() const { return static_cast<int>(collectives_.size()); }
  Collective& operator[](int rank) { return *collectives_[rank]; }
  // Returns the group of the ranks' process, or of the process of one rank.
  MemoryGroup& group(int rank) { return *groups_[groups_.size() == 1 ? 0 : rank]; }
  MemoryLinks& links() { return links_; }

  // Runs `work` for each rank, in a thread of its own.
  void Run(const std::function<void(Collective&)>& work) {
    std::vector<std::thread> threads;
    for (const auto& collective : collectives_)
      threads.emplace_back([&work, one = collective.get()] { work(*one); });
    for (std::thread& thread : threads) thread.join();
  }

 private:
  MemoryLinks links_;
  std::vector<uint64_t> memory_;
  MemoryBoard board_;
  std::vector<std::unique_ptr<MemoryGroup>> groups_;
  std::vector<std::unique_ptr<Collective>> collectives_;
};

}  // namespace singa
