// PieceRing: adds up large gradients of workers in several processes, piece by piece while they are
// computed: each worker writes its part of a piece into memory that all share, and the workers add
// pieces up in turn. The memory is used again, so that it stays in the cache. No worker waits for
// another but where that is a ring behind.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/thread/progress_deadline.h"
#include "train/reduce/group_memory.h"

namespace singa {

// One worker's way through the pieces of its step, which are the same for all workers. Its threads
// call all but the constructor and Begin at once.
class PieceRing {
 public:
  // `stopped`: true where the worker is to wait no more; nor does it beyond `deadline`, null: any.
  // `memory`, and these, outlive it.
  PieceRing(const GroupMemory& memory, int workers, int worker, const ProgressDeadline* deadline,
            const std::atomic<bool>& stopped)
      : memory_(memory),
        board_(memory.board()),
        workers_(workers),
        worker_(worker),
        deadline_(deadline),
        stopped_(stopped) {}

  // The next `pieces` are those of another param. When the last one's are done here.
  void Begin(int64_t pieces);

  // Computes each piece that no other thread has, `compute(piece, to)`, and adds up those that are
  // this worker's to add up: `add(piece, parts)`, the parts in the order of the workers. Returns
  // when the worker has nothing left to do, when it is stopped, or overdue().
  using Compute = std::function<void(int64_t piece, float* to)>;
  using Add = std::function<void(int64_t piece, const std::vector<float*>& parts)>;
  void Run(const Compute& compute, const Add& add);

  // Whether it has waited for too long.
  bool overdue() const { return overdue_; }
  // Nanoseconds that its threads waited since the last call, together.
  int64_t TakeWait() { return waited_.exchange(0); }

 private:
  static constexpr uint64_t kSlots = SharedCounters::kSlots;

  // Of the turns of all steps: piece i is turn begin_ + i, in slot turn % kSlots.
  bool Free(uint64_t turn) const {
    return board_.turns_done[turn % kSlots] == static_cast<uint32_t>(turn / kSlots);
  }
  bool Complete(uint64_t turn) const {
    return board_.parts_here[turn % kSlots] ==
           static_cast<uint32_t>(workers_ * (turn / kSlots + 1));
  }
  int64_t MineFrom(int64_t piece) const;  // the first from there that this worker adds up
  bool AddOne(const Add& add);
  void Wait(const std::function<bool()>& done, const Add& add);
  void Tell();

  const GroupMemory& memory_;
  const SharedCounters& board_;
  const int64_t workers_, worker_;
  const ProgressDeadline* const deadline_;
  const std::atomic<bool>& stopped_;
  std::atomic<bool> overdue_{false};
  uint64_t begin_ = 0;
  int64_t pieces_ = 0;
  std::atomic<int64_t> next_{0};  // piece to compute
  std::atomic<int64_t> mine_{0};  // piece to add up
  std::atomic<int64_t> waited_{0};
};

}  // namespace singa
