// DeviceUpdates is the DeviceParams of a worker that trains alone, or in one group whose workers
// each have a GPU, with all that trains on the device. Values, gradients and updater states stay on
// the device, which updates all params at once. Each worker of a group updates the params that it
// has, or its parts of them, by the sum of the gradients. The host looks at the outcome of each
// step when it is done. If the worker trains alone, it hands out the next steps meanwhile.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/exchange/gpu_exchange.h"
#include "singa/nn/net.h"
#include "singa/proto/job.pb.h"
#include "singa/tensor/stream.h"
#include "tensor/gpu/gpu_group.h"
#include "train/apply/replica.h"
#include "train/apply/slice_updates.h"
#include "train/apply/step_rule.h"
#include "train/device/compressed_exchange.h"
#include "train/device/device_gradients.h"
#include "train/device/device_metrics.h"
#include "train/device/device_params.h"
#include "train/device/device_pieces.h"
#include "train/device/loss_scale.h"
#include "train/device/own_findings.h"
#include "train/device/step_outcomes.h"
#include "train/device/worker_device.h"

namespace singa {

class DeviceUpdates final : public DeviceParams, public GroupSum {
 public:
  struct Worker {
    Net* net;                      // planned
    const TrainedParams* trained;  // params that updates change
    Replica* replica;              // has the whole values and states on the host
    SliceUpdates* updates;         // counts steps without effect, and knows the workers' places
    WorkerDevice* device;          // with room for NumbersBytes
    Context* ctx;
    bool judges_losses = true;          // a loss that is not finite drops its step
    bool leads = true;                  // logs skipped steps
    LossScale* loss_scale = nullptr;    // null: losses are not scaled
    const GpuMember* member = nullptr;  // null: the worker trains alone
    const GpuSender* sender = nullptr;  // null: the worker sends whole gradients
    RegionSizes regions = {};           // of the group's bridges
  };
  // Returns the bytes of the numbers that the updater reads in a step.
  static int64_t NumbersBytes(const UpdateRule& rule, size_t trained) {
    return (rule.step_bytes() + rule.average_bytes()) * static_cast<int64_t>(trained);
  }
  // All that `worker` points to must outlive it; in a group, also ctx->group, which adds up on the
  // host. Throws DeviceError.
  DeviceUpdates(const JobProto& job, const Worker& worker);

  void Place(Param* param) override;
  // Allocates the states and metrics. REQUIRES: all params are placed, and the net is bound.
  void AttachMetrics(MetricSums* metrics);
  // Returns what moves features between the GPUs of the group; null: no layers need it.
  RegionExchange* exchange() { return exchange_ ? &*exchange_ : nullptr; }
  // Leaves the group: this worker takes part in no more sums and transfers.
  void Leave();

  void MarkDeviceStale() override { stale_ = true; }
  void Upload() override;
  void Download() override;
  // Blocks until all steps are done. Throws DivergedError if one was not finite.
  void Settle() { AwaitReports(0); }
  // Returns the gradient norm of the last step, with clip_norm. REQUIRES: Settle was called.
  double gradient_norm() const { return outcomes_.gradient_norm(); }
  // Moves the steps' metrics to the MetricSums. REQUIRES: Settle was called.
  void DownloadMetrics() { metrics_->Download(); }

  // These enclose the exchange's calls of one step, which may be captured. BeginStep writes the
  // step's numbers for the device, which WorkerDevice::Begin then sends.
  void BeginStep(int64_t step);
  void EndStep();
  // Returns whether the work of `step` differs from that of the steps before, so that work which
  // was captured must go before BeginStep.
  bool Changes(int64_t step) const { return compressed_ && compressed_->Changes(step); }

  void Await(Param*, int64_t) override {}
  void GradientReady(Param* param, int64_t step) override;
  bool sees_losses() const override { return worker_.judges_losses; }
  void LossNotFinite(const std::string& layer, int64_t step) override;
  void Finish(int64_t step) override;

  // Adds up over the group. Numbers on the device are added up there, from the first BeginStep on.
  void Sum(std::span<double> values) override { on_host_->Sum(values); }
  void SumInOrder(Context& ctx, double* values, int64_t n) override;

 private:
  bool HasFirst(size_t p) const;
  bool Lacks(const Slice& cut) const;
  void MakePieces();
  void Join();
  void AddUp(int64_t step);
  void Judge();
  GroupMember Member();
  void MeetGroup();
  void UploadIfStale();
  NotFiniteAt PlaceOf(const StepReport& report);
  void AwaitReports(size_t most);  // waits until at most `most` reports are on their way
  void AddToCounts(int64_t updates);

  const Worker worker_;
  Replica& replica_;
  const std::vector<Param*>& trained_;  // this worker's params, or parts of them
  Context* const ctx_;
  GroupSum* const on_host_;
  const StepRule rule_;
  const bool waits_;  // the next step depends on whether a step is left out
  StepOutcomes outcomes_;

  std::unique_ptr<GpuGroup> group_;    // null: no group, or not joined yet
  std::unique_ptr<Stream> transfers_;  // of features, and sums of gradients; null: no group
  std::optional<GpuExchange> exchange_;
  DeviceGradients gradients_;
  const AllReduceProto all_reduce_;  // how the group adds up
  std::vector<Param*> placed_;
  std::vector<int64_t> counts_;  // by param: updates
  std::vector<int> announced_;   // params with gradients, in the first step's order
  ParamCopies states_;           // by trained param
  Tensor loss_cells_;
  DevicePieces pieces_;                             // made by the first step
  std::optional<OwnFindings> own_;                  // of a group's member
  std::unique_ptr<CompressedExchange> compressed_;  // null: whole gradients are added up, or none
  std::unique_ptr<DeviceMetrics> metrics_;
  bool stale_ = true;     // the host's values are newer
  bool changed_ = false;  // the device's values are newer
};

}  // namespace singa
