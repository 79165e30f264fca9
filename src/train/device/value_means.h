// ValueMeans averages values and updater states over the GPUs of a group, which each apply their
// own gradients (kPartial): in each step those of one bucket, in turn. Finite
// gradients give the numbers of PartialUpdates (cluster/ranks).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "comm/collective/slice_table.h"
#include "singa/proto/cluster.pb.h"
#include "train/device/group_findings.h"
#include "train/device/mean_pieces.h"

namespace singa {

class ValueMeans {
 public:
  // Both must outlive it. losses: of the findings of InspectLosses.
  ValueMeans(const SliceTable& table, const AllReduceProto& conf, Context* ctx, int64_t losses);

  // Adds a slice that is updated: its gradient, values and states. REQUIRES: Inspect was not
  // called.
  void Add(int slice, const UpdatePiece& piece);
  // Inspects this member's gradient, and adds the findings about losses and gradients up over the
  // group. `squares`: the norm of the gradient is needed.
  void Inspect(const GroupMember& member, float* bad_losses, bool squares);
  const GroupFindings& findings() const { return *findings_; }
  // Averages the bucket of `step` over the group, in the order of the context's work, if the step
  // counts.
  void Average(const GroupMember& member, int64_t step, const StepVerdict* verdict);
  // Forgets the group.
  void Drop() { findings_.reset(); }

  // Returns the bytes that a member needs. states: floats that the updater keeps for each value.
  static int64_t Bytes(const AllReduceProto& conf, const SliceTable& table, int64_t states);

 private:
  struct Bucket {
    int64_t first = 0, count = 0;  // pieces
    int64_t floats = 0;
  };
  void Place();

  Context* const ctx_;
  const int64_t losses_;
  std::vector<int> bucket_of_;  // by slice
  std::vector<Bucket> buckets_;
  int64_t averages_ = 0;                        // so far
  std::vector<std::vector<MeanPiece>> pieces_;  // by bucket, until they are on the device
  std::vector<UpdatePiece> inspected_;          // until they are on the device
  std::unique_ptr<GroupFindings> findings_;     // null: before the first step
  Tensor pieces_there_, sums_;
};

}  // namespace singa
