// DeviceUpdates: the DeviceParams of a worker that trains alone, or with others that have GPUs of
// their own in one group, where all that trains is on the device: values, gradients and what the
// updater remembers stay on the device, which applies its updates itself, all params at once; the
// workers of a group each the same updates, to the sum of their gradients. The host hands out steps
// without waiting for them, and looks at what became of each when it is done.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "singa/nn/net.h"
#include "singa/proto/job.pb.h"
#include "singa/tensor/stream.h"
#include "tensor/gpu/gpu_group.h"
#include "train/apply/replica.h"
#include "train/apply/slice_updates.h"
#include "train/apply/step_rule.h"
#include "train/device/device_metrics.h"
#include "train/device/device_params.h"
#include "train/device/gradient_sums.h"
#include "train/device/loss_scale.h"
#include "train/device/step_outcomes.h"
#include "train/device/worker_device.h"

namespace singa {

class DeviceUpdates final : public DeviceParams, public GroupSum {
 public:
  struct Worker {
    Net* net;                     // planned
    std::vector<Param*> trained;  // those that updates change
    Replica* replica;             // has the values and states on the host
    SliceUpdates* updates;        // counts steps without effect
    WorkerDevice* device;         // with room for NumbersBytes
    Context* ctx;
    bool judges_losses = true;          // one that is not finite drops its step
    bool leads = true;                  // tells of what is skipped
    LossScale* loss_scale = nullptr;    // null: losses are not scaled
    const GpuMember* member = nullptr;  // null: it trains alone
  };
  // Of what the updater is told of a step.
  static int64_t NumbersBytes(const UpdateRule& rule, size_t trained) {
    return rule.step_bytes() * static_cast<int64_t>(trained);
  }
  // All that `worker` points to outlives it; in a group, so does the ctx->group that adds up on the
  // host. Throws DeviceError.
  DeviceUpdates(const JobProto& job, const Worker& worker);

  void Place(Param* param) override;
  // After all Place, and when the net is bound.
  void Bind(MetricSums* metrics);
  // No sum of the group's comes any more; nor does this worker give any.
  void Leave() {
    group_.reset();
    sums_.reset();  // waits for what is under way
  }

  void Renew() override { stale_ = true; }
  void Upload() override;
  void Download() override;
  // Until all steps are done. Throws DivergedError for one that was not finite.
  void Settle() { LookAt(0); }
  // After Settle: of the last step, with clip_norm.
  double gradient_norm() const { return outcomes_.gradient_norm(); }
  // After Settle: their metrics to the MetricSums.
  void GiveMetrics() { metrics_->Give(); }

  // Around the exchange's calls of one step. What is between may be captured. It writes the
  // device's numbers of the step, which are sent after it.
  void BeginStep(int64_t step);
  void EndStep();

  void Await(Param*, int64_t) override {}
  void GradientReady(Param* param, int64_t step) override;
  bool sees_losses() const override { return worker_.judges_losses; }
  void LossNotFinite(const std::string& layer, int64_t step) override;
  void Finish(int64_t step) override;

  // Of a group: its workers add up on the device what is there, from the first BeginStep on.
  void Sum(std::span<double> values) override { on_host_->Sum(values); }
  void SumInOrder(Context& ctx, double* values, int64_t n) override;

 private:
  void MakePieces();
  void MeetGroup();
  void Bring();
  void LookAt(size_t most);  // until at most so many steps' reports are on their way
  void AddToCounts(int64_t updates);
  float* bad_losses() { return gradients_.data(); }

  const Worker worker_;
  Replica& replica_;
  const std::vector<Param*>& trained_;
  Context* const ctx_;
  GroupSum* const on_host_;
  const StepRule rule_;
  const bool waits_;  // a step may be left out, and the next depends on that
  StepOutcomes outcomes_;

  std::unique_ptr<GpuGroup> group_;     // null: alone, or not met yet
  std::unique_ptr<GradientSums> sums_;  // null: in the first step
  const int64_t at_once_;               // floats of a sum
  std::vector<Param*> placed_;
  Tensor gradients_;                 // what InspectLosses finds, then those of all trained params
  std::vector<int64_t> grad_begin_;  // of each there
  std::vector<int64_t> counts_;      // updates of each
  std::vector<int> announced_;       // trained params with gradients, in the first step's order
  std::vector<std::vector<Tensor>> states_;  // of each trained param
  Tensor loss_cells_, pieces_, found_;
  int64_t piece_count_ = -1;  // -1: not made yet
  int64_t largest_ = 0;       // piece
  std::unique_ptr<DeviceMetrics> metrics_;
  bool stale_ = true;     // the host's values are newer
  bool changed_ = false;  // the device's are
};

}  // namespace singa
