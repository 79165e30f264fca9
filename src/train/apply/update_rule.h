// UpdateRule updates values by their gradient, with a job's updater, learning rate and weight
// decay. Workers and servers use the same rule. Several threads may apply it at once, to different
// slices.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "singa/nn/param.h"
#include "singa/proto/job.pb.h"
#include "singa/train/learning_rate.h"
#include "singa/train/updater.h"

namespace singa {

// Factors of one param: ParamProto.lr_scale and wd_scale.
struct ParamScale {
  float lr = 1, wd = 1;
};
inline ParamScale ScaleOf(const Param& param) {
  return {param.conf().lr_scale(), param.conf().wd_scale()};
}

class UpdateRule {
 public:
  static constexpr size_t kMostStates = 8;

  // Throws ConfigError relative to the JobProto, also if the updater has more states.
  explicit UpdateRule(const JobProto& job);

  // Returns the names of the updater's states. Each is a float for each element, 0 at first.
  const std::vector<std::string>& states() const { return states_; }

  // Does update number `count`, from 1, of n elements w by their gradient g of `step`. w, g and
  // each state: [n]; `states` has the order of states(). REQUIRES: g is finite.
  void Apply(Context& ctx, const ParamScale& scale, int64_t step, int64_t count, float* w,
             const float* g, std::span<float* const> states, int64_t n) const;

  // These do the same on a device, if the updater has code for it (Updater::UpdateAll).
  // step_bytes() is one param's share of UpdateBatch::steps, and Prepare fills it.
  bool on_device() const { return step_bytes() > 0; }
  int64_t step_bytes() const { return updater_->step_bytes(); }
  void Prepare(const ParamScale& scale, int64_t step, int64_t count, void* to) const;
  void ApplyAll(Context& ctx, const UpdateBatch& batch) const { updater_->UpdateAll(ctx, batch); }

 private:
  UpdateStep StepOf(const ParamScale& scale, int64_t step, int64_t count) const;

  std::unique_ptr<Updater> updater_;
  std::unique_ptr<LearningRate> learning_rate_;
  std::vector<std::string> states_;
  float weight_decay_;
};

}  // namespace singa
