// DevicePath is the StepPath of a worker whose layers and updates are on its device. The host
// hands out steps, without waiting for them if the worker trains alone, and replays a captured step
// where that is possible.
#pragma once

#include <memory>

#include "train/device/device_updates.h"
#include "train/device/loss_scale.h"
#include "train/device/step_graph.h"
#include "train/device/worker_device.h"
#include "train/trainer/step_path.h"

namespace singa {

class DevicePath final : public StepPath {
 public:
  struct Parts {
    Net* net;
    Phase pass;  // flags of a step's first pass
    WorkerDevice* device;
    LossScale* loss_scale;  // null: losses are not scaled
    Context* ctx;
  };
  // All parts must outlive it. REQUIRES: the net is bound, and all that trains is on the device.
  DevicePath(std::unique_ptr<DeviceUpdates> updates, const Parts& parts)
      : updates_(std::move(updates)),
        graph_(std::make_unique<StepGraph>(parts.net, parts.ctx, parts.pass)),
        device_(*parts.device),
        loss_scale_(parts.loss_scale),
        ctx_(*parts.ctx) {}

  ParamExchange& exchange() override { return *updates_; }
  void Run(int64_t step, const std::function<void()>& pass, bool replayable) override;
  void BeginBatch() override { device_.Begin(*ctx_.state); }
  double GradientNorm(int64_t step) override;
  void MarkDeviceStale() override { updates_->MarkDeviceStale(); }
  void Download() override;
  void Upload() override;
  void Await() override;
  void CollectMetrics() override;
  void LeaveGroup() override;

 private:
  const std::unique_ptr<DeviceUpdates> updates_;
  std::unique_ptr<StepGraph> graph_;  // null: the group was left
  WorkerDevice& device_;
  LossScale* const loss_scale_;
  Context& ctx_;
};

}  // namespace singa
