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
  static constexpr size_t kMostStates = 9;  // eight of the updater, and the average

  // Throws ConfigError relative to the JobProto, also if the updater has more states.
  explicit UpdateRule(const JobProto& job);

  // Returns whether the learning rate counts epochs (LRGenProto.unit). Then SetEpochSteps has to be
  // called before the first update.
  bool counts_epochs() const { return rate_.unit() == LRGenProto::kEpochs; }
  // Sets the steps of an epoch, which may be a fraction. REQUIRES: steps > 0, and no thread applies
  // the rule.
  void SetEpochSteps(double steps);
  double epoch_steps() const { return epoch_steps_; }  // 0: not known

  // Returns the learning rate of `step`, before lr_scale.
  float LearningRateAt(int64_t step) const;

  // Returns the names of the updater's states and, last, of the average that ema_decay asks for.
  // Each is a float for each element, 0 at first.
  const std::vector<std::string>& states() const { return states_; }
  // Returns whether the last state is the average of the values, from the first update on.
  bool averages() const { return average_ != nullptr; }

  // Does update number `count`, from 1, of n elements w by their gradient g of `step`. w, g and
  // each state: [n]; `states` has the order of states(). REQUIRES: g is finite.
  void Apply(Context& ctx, const ParamScale& scale, int64_t step, int64_t count, float* w,
             const float* g, std::span<float* const> states, int64_t n) const;

  // These do the same on a device, if the updater has code for it (Updater::UpdateAll). Prepare
  // fills one param's share, step_bytes(), of UpdateBatch::steps.
  bool on_device() const { return step_bytes() > 0; }
  int64_t step_bytes() const { return updater_->step_bytes(); }
  void Prepare(const ParamScale& scale, int64_t step, int64_t count, void* to) const;
  void ApplyAll(Context& ctx, const UpdateBatch& batch) const { updater_->UpdateAll(ctx, batch); }
  // The averages have numbers of their own; 0 bytes if there are none. ApplyAverages follows
  // ApplyAll. In each piece of `batch` the average is the first state, and g is w.
  int64_t average_bytes() const { return average_ ? average_->step_bytes() : 0; }
  void PrepareAverage(int64_t count, void* to) const;
  void ApplyAverages(Context& ctx, const UpdateBatch& batch) const {
    if (average_) average_->UpdateAll(ctx, batch);
  }

 private:
  void AddAverage(float decay);
  UpdateStep StepOf(const ParamScale& scale, int64_t step, int64_t count) const;

  LRGenProto rate_;
  double epoch_steps_ = 0;
  std::unique_ptr<Updater> updater_, average_;  // average_ is null without ema_decay
  std::unique_ptr<LearningRate> learning_rate_;
  std::vector<std::string> states_;
  float weight_decay_;
};

}  // namespace singa
