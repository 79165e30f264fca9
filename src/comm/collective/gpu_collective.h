// GpuCollective is one rank of a group of GPUs that exchange numbers by NCCL. Operations use memory
// of the rank's GPU, and run in the order of the stream: work that the stream gets after Start sees
// the result without Await. NCCL, not the SumTree, sets the order of a sum.
#pragma once

#include <cstdint>
#include <span>

#include "comm/collective/collective.h"
#include "tensor/gpu/gpu_group.h"

namespace singa {

class GpuCollective final : public Collective {
 public:
  // Makes rank `rank` of the `ranks` ranks of `group`, which may be null if no operation is
  // started. `group` and `stream` must outlive this.
  GpuCollective(GpuGroup* group, int rank, int ranks, Stream* stream)
      : group_(group), rank_(rank), ranks_(ranks), stream_(*stream) {}

  int rank() const override { return rank_; }
  int size() const override { return ranks_; }
  // Waits for all operations that were started.
  void Await(Operation) override { AwaitAll(); }
  // Does so for the stream's other work, too.
  void AwaitAll();
  // Each rank produces all pieces, which are added up by all-reduces, and consumes its share.
  // `room`: for one piece.
  void ReduceScatter(Context& ctx, int64_t pieces, const PieceWork& work,
                     std::span<float> room) override;

 private:
  // REQUIRES: the `parts` of an all-reduce are its `sum`.
  Operation Start(const Request& request) override;
  template <typename T>
  void Sum(const Request& request);

  GpuGroup* const group_;
  const int rank_, ranks_;
  Stream& stream_;
  Operation next_ = 0;
};

}  // namespace singa
