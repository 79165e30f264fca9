// LargestGradients are the CodedGradients of kTopK and kThreshold. The state of each slice is its
// rest, and its gradient with momentum, as SparseCodec has them.
#pragma once

#include <optional>
#include <vector>

#include "train/device/coded_gradients.h"
#include "train/device/sparse_sums.h"

namespace singa {

class LargestGradients final : public CodedGradients {
 public:
  explicit LargestGradients(const Setup& setup) : CodedGradients(setup, kCompression) {}

  static const GpuCompression kCompression;

  void Add(int slice, float* gradient, const UpdatePiece& piece, float*) override;
  bool Changes(int64_t step) const override { return sums_ && !sums_->Fits(step); }
  void Begin(int64_t step) override;
  void AddUp(const GroupMember& member, int64_t step, float* bad_losses) override;
  bool AddFindings(StepEvidence* evidence) const override;
  bool OwnIsBad(int64_t piece) const override { return sums_->OwnIsBad(piece); }
  void Drop() override { sums_.reset(); }

 private:
  static std::vector<StatePart> Parts(const CompressedParams& params);
  static int64_t MessageBytes(const CompressedParams& params, int members);

  std::vector<SparseSlice> slices_;
  std::optional<SparseSums> sums_;  // none: before the first step, and when they have to change
};

}  // namespace singa
