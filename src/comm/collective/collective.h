// A Collective is one rank's part in the operations that all ranks of a group do together. A rank
// is a worker, or a process that adds up the numbers of several workers before it takes part.
//
// All ranks start the operations of the group in the same order, with the same sizes. One thread
// uses a Collective. A RegionExchange carries numbers between two ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/thread/stopped.h"
#include "singa/tensor/context.h"

namespace singa {

// PieceWork computes the pieces of a reduce-scatter, and takes their sums.
class PieceWork {
 public:
  virtual int64_t floats(int64_t piece) const = 0;
  // Writes this rank's part of `piece`, floats(piece) numbers. Any thread of the process calls it.
  virtual void Produce(Context& ctx, int64_t piece, float* to) const = 0;
  // Takes the sum of `piece`, in one rank. sums[i] has floats(piece) numbers: the sum of node i of
  // the SumTree that the ranks here have. There is one node if all ranks of the group share memory.
  // Consume may change the numbers, which are invalid afterwards.
  virtual void Consume(Context& ctx, int64_t piece, std::span<float* const> sums) const = 0;

 protected:
  ~PieceWork() = default;
};

class Collective {
 public:
  using Operation = int64_t;  // the number of an operation that was started

  virtual ~Collective() = default;
  virtual int rank() const = 0;  // in [0, size())
  virtual int size() const = 0;

  // These calls start an operation. The memory that they are given is in use until Await returns.
  // A backend may already wait for other ranks here; it then throws as Await does.

  // Starts a sum over all workers. sum: [n], added in the order of the group's SumTree, with the
  // same bits in each rank. parts: [nodes, n], the sums of the tree's nodes that the rank has; a
  // rank that is one worker has one node. `parts` may be `sum`.
  Operation StartAllReduce(std::span<const double> parts, std::span<double> sum);
  // REQUIRES: all ranks of a MemoryCollective's group share memory.
  Operation StartAllReduce(std::span<const float> parts, std::span<float> sum);
  // Starts to replace the bytes of all other ranks by those of rank `root`.
  Operation StartBroadcast(int root, std::span<std::byte> bytes);

  // Blocks until the operation, and all that were started before it, are done.
  // Throws Stopped when the group was stopped, Error with kExitStalled when a rank does not come
  // before the deadline, and PeerError when a rank is gone or sends another number of bytes.
  virtual void Await(Operation operation) = 0;

  // Runs a reduce-scatter: all ranks compute each piece, and one rank consumes its sum. All ranks
  // call it, with no operation under way. `room`: PiecePlan::room_floats floats. Throws as Await
  // does. REQUIRES: the ranks share memory, or each is one worker.
  virtual void ReduceScatter(Context& ctx, int64_t pieces, const PieceWork& work,
                             std::span<float> room) = 0;

  void AllReduce(std::span<double> values) { Await(StartAllReduce(values, values)); }
  void AllReduce(std::span<float> values) { Await(StartAllReduce(values, values)); }
  void Broadcast(int root, std::span<std::byte> bytes) { Await(StartBroadcast(root, bytes)); }
  // Returns when all ranks have come here.
  void Barrier() { AllReduce(std::span<double>()); }

 protected:
  static constexpr int64_t kMostStarted = 64;  // operations that were started and not awaited

  enum class Kind { kSumDoubles, kSumFloats, kBroadcast };
  // An operation with this rank's memory. For kBroadcast `in` and `out` are the same.
  struct Request {
    Kind kind = Kind::kBroadcast;
    int root = 0;  // of kBroadcast
    std::span<const std::byte> in = {};
    std::span<std::byte> out = {};
  };

 private:
  virtual Operation Start(const Request& request) = 0;
};

}  // namespace singa
