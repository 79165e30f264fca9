// DeviceGradients has the gradients of a worker's trained params in one tensor on its GPU, and
// their sums over the group's GPUs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "singa/proto/cluster.pb.h"
#include "singa/tensor/context.h"
#include "singa/tensor/stream.h"
#include "tensor/gpu/gpu_group.h"
#include "train/device/gradient_sums.h"
#include "train/device/part_sums.h"
#include "train/reduce/trained_params.h"

namespace singa {

class DeviceGradients {
 public:
  // `losses`: floats for the findings of InspectLosses, which are added up with the gradients.
  // `ctx` and `trained` must outlive it. Throws DeviceError.
  DeviceGradients(Context* ctx, const TrainedParams& trained, int64_t losses);

  float* of(size_t param) { return floats_.data() + begins_[param]; }
  float* bad_losses() { return floats_.data(); }
  // Makes the sums of one member of `group`, in `stream`, which is for transfers alone. `order`:
  // the params whose gradients a step makes, in order. `meet`: as in HalfSums; `own`: as in
  // GradientSums. All that it is given must outlive the sums.
  void MakeSums(GpuGroup* group, const GpuMember& member, Stream* stream,
                const std::vector<int>& order, const AllReduceProto& conf,
                const std::function<void()>& meet, OwnFindings* own);
  // Returns the gradients that only some of the workers compute.
  std::span<const float> of_some() const {
    return {common_.data() + common_.size(), floats_.data() + floats_.size()};
  }
  bool has_sums() const { return common_sums_ != nullptr; }
  // Notes, while a step is captured, that the gradient of a param is complete.
  void Ready(size_t param);
  // These add up, at the end of a step, the gradients that a part of the workers compute, and those
  // that all compute. Later work of the context comes after the sums.
  void AddUpParts();
  void AddUpCommon(bool captured);
  void DropSums();

 private:
  bool IsCommon(size_t param) const { return trained_.by[param].all(); }
  std::vector<HalfSums::Run> CommonSlices() const;

  Context* const ctx_;
  const TrainedParams& trained_;
  const int64_t losses_;
  // The findings, then the gradients that all workers compute, then the others.
  Tensor floats_;
  Tensor common_;                // the first part of floats_, which all workers have
  std::vector<int64_t> begins_;  // by param
  std::unique_ptr<GradientSums> common_sums_;
  std::optional<PartSums> part_sums_;
};

}  // namespace singa
