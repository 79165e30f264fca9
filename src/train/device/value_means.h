// ValueMeans averages values and updater states over the GPUs of a group, which each apply their
// own gradients (kPartial): in each step those of one bucket, in turn. Finite gradients give the
// numbers of PartialUpdates (cluster/ranks).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "train/device/compressed_exchange.h"
#include "train/device/gpu_compression.h"
#include "train/device/group_findings.h"
#include "train/device/mean_pieces.h"

namespace singa {

class ValueMeans final : public CompressedExchange {
 public:
  explicit ValueMeans(const Setup& setup);

  static const GpuCompression kCompression;

  void Add(int slice, float* gradient, const UpdatePiece& piece, float* average) override;
  // Inspects this member's gradient. The findings of all members are added up.
  void AddUp(const GroupMember& member, int64_t step, float* bad_losses) override;
  bool AddFindings(StepEvidence* evidence) const override;
  bool OwnIsBad(int64_t piece) const override { return findings_->OwnIsBad(piece); }
  // Averages the bucket of `step` over the group, if the step counts.
  void Updated(const GroupMember& member, int64_t step, const StepVerdict* verdict) override;
  void Drop() override { findings_.reset(); }
  void Upload() override;
  void Download() const override;

 private:
  struct Bucket {
    int64_t first = 0, count = 0;  // pieces
    int64_t floats = 0;
  };
  static std::vector<StatePart> Parts(const CompressedParams& params);
  static int64_t MessageBytes(const CompressedParams& params, int members);
  void Place();
  ParamCopies Copies() const;

  std::vector<int> bucket_of_;  // by slice
  std::vector<Bucket> buckets_;
  int64_t averages_ = 0;                        // so far
  std::vector<std::vector<MeanPiece>> pieces_;  // by bucket, until they are on the device
  std::vector<UpdatePiece> inspected_;          // until they are on the device
  std::unique_ptr<GroupFindings> findings_;     // null: before the first step
  Tensor pieces_there_, sums_;
};

}  // namespace singa
