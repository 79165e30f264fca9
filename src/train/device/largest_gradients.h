// LargestGradients are the CodedGradients of kTopK and kThreshold.
#pragma once

#include <optional>
#include <vector>

#include "train/device/coded_gradients.h"
#include "train/device/sparse_sums.h"

namespace singa {

class LargestGradients final : public CodedGradients {
 public:
  explicit LargestGradients(const Setup& setup);

  void Add(int slice, float* gradient) override;
  bool Changes(int64_t step) const override { return sums_ && !sums_->Fits(step); }
  void Begin(int64_t step) override;
  void AddUp(const GroupMember& member, int64_t step, float* bad_losses) override;
  void Drop() override { sums_.reset(); }
  const OwnGradient* own() const override;

  // Returns the floats of state for each float of a gradient: the rest, and the gradient with
  // momentum, as SparseCodec has them.
  static int64_t States(const AllReduceProto& conf, float momentum);

 private:
  std::vector<SparseSlice> slices_;
  std::optional<SparseSums> sums_;  // none: before the first step, and when they have to change
};

}  // namespace singa
