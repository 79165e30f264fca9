// MemoryGroup is this process's part of a group of ranks that share memory: its threads, or those
// of several processes of this host. When the group has other ranks, which share no memory with
// these, these ranks add up the nodes of the group's SumTree that they have.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/thread/progress_deadline.h"
#include "comm/collective/collective.h"
#include "comm/collective/memory_board.h"
#include "math/reduction/sum_tree.h"

namespace singa {

class MemoryGroup {
 public:
  struct Options {
    SumNode ranks = {0, 1};  // ranks of the group that share memory
    int group = 1;           // ranks of the whole group
    int here = 1;            // ranks in this process
    int buffers = 0;         // of BufferSums
    // Memory of several processes, or null. It outlives the group.
    const MemoryBoard* shared = nullptr;
    // Reaches the group's other ranks for all-reduces of double, or null. Only rank 0 here uses it.
    Collective* between = nullptr;
    const ProgressDeadline* deadline = nullptr;  // of each wait; null: none
  };
  // All that `options` points to outlives the group.
  explicit MemoryGroup(const Options& options);

  int size() const { return options_.ranks.workers(); }  // ranks that share memory
  int first() const { return options_.ranks.first; }     // their first, in the whole group
  int whole() const { return options_.group; }
  bool spans_processes() const { return options_.here < size(); }
  // The nodes of the whole group's tree that these ranks add up.
  const std::vector<SumNode>& nodes() const { return nodes_; }
  const MemoryBoard& board() const { return options_.shared ? *options_.shared : own_; }
  Collective* between() const { return options_.between; }
  const ProgressDeadline* deadline() const { return options_.deadline; }

  // Threads of a rank for which pieces of a reduce-scatter are cut: the same in all processes.
  int CutThreads(int threads) const {
    return board().ring ? board().ring->threads.load() : threads;
  }

  // Stops the group after a rank failed: ranks that wait in this process throw Stopped, now and
  // later. Any thread may call it. Ranks of other processes go on waiting, and have to hear of the
  // failure in another way.
  void Stop();
  const std::atomic<bool>& stopped() const { return stopped_; }
  // Wakes the ranks that wait, since something has changed.
  void Tell();
  // Blocks until done(), which reads what another rank changes. Returns false after the deadline.
  // Throws Stopped.
  template <typename Done>
  bool Await(const Done& done) {
    const bool in_time = board().changed->Await(done, size(), &stopped_, deadline());
    if (stopped_) throw Stopped();
    return in_time;
  }
  // Returns the rank that has written least, of those that share memory.
  int LateRank() const;
  // Throws the error of rank `rank`, which has waited for rank `late` beyond the deadline.
  [[noreturn]] void ThrowStalled(int rank, int late) const;

  // Returns the nanoseconds, of all ranks here together, that they waited for others since the last
  // call.
  int64_t TakeWait() { return waited_.exchange(0); }
  std::atomic<int64_t>* waited() { return &waited_; }

  // For a reduce-scatter by threads of one process: the work of each rank, and the next piece.
  std::span<const PieceWork*> works() { return works_; }
  std::atomic<int64_t>& next_piece() { return next_piece_; }

 private:
  const Options options_;
  const std::vector<SumNode> nodes_;
  std::unique_ptr<std::byte[]> memory_;  // of own_, when no memory is shared
  MemoryBoard own_;
  std::atomic<bool> stopped_{false};
  std::atomic<int64_t> waited_{0};
  std::vector<const PieceWork*> works_;
  std::atomic<int64_t> next_piece_{0};
};

// Returns the number of pieces that a thread needs room for when it adds up these nodes.
int PieceSlots(std::span<const SumNode> nodes);

}  // namespace singa
