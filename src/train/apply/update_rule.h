// UpdateRule: what a gradient does to the values that it is of: updater, learning rate and weight
// decay of a job. The same in a worker and in a server. Several threads may apply it at once, to
// cuts of their own.
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

  // Throws ConfigError relative to the JobProto, also where the updater has more states.
  explicit UpdateRule(const JobProto& job);

  // Names of the updater's float states of one per element, all 0 at first.
  const std::vector<std::string>& states() const { return states_; }

  // Update number `count`, from 1, of n elements w by their gradient g, which is of `step`.
  // `states`: in the order of states(). REQUIRES: g is finite.
  void Apply(Context& ctx, const ParamScale& scale, int64_t step, int64_t count, float* w,
             const float* g, std::span<float* const> states, int64_t n) const;

  // The same on devices, where their updater knows them (Updater::UpdateAll). step_bytes() is one
  // param's share of UpdateBatch::steps, and Prepare fills it.
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
