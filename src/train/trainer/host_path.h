// HostPath is the StepPath of a worker with layers and updates on the host. DeviceLayersPath is
// that of a worker with layers on a device and updates on the host.
#pragma once

#include <memory>

#include "singa/tensor/context.h"
#include "train/apply/slice_updates.h"
#include "train/device/device_exchange.h"
#include "train/device/worker_device.h"
#include "train/reduce/group_exchange.h"
#include "train/reduce/metric_sums.h"
#include "train/trainer/step_path.h"

namespace singa {

class HostPath : public StepPath {
 public:
  struct Parts {
    GroupExchange* exchange;
    SliceUpdates* updates;
    MetricSums* metrics;
    Context* ctx;
  };
  // All parts must outlive it.
  explicit HostPath(const Parts& parts) : parts_(parts) {}

  ParamExchange& exchange() override { return *parts_.exchange; }
  void Run(int64_t step, const std::function<void()>& pass, bool replayable) override;
  double GradientNorm(int64_t step) override { return parts_.updates->GradientNorm(step); }

 protected:
  const Parts parts_;
};

class DeviceLayersPath final : public HostPath {
 public:
  // `params` hands gradients on to parts.exchange. `device` must outlive it.
  DeviceLayersPath(const Parts& parts, std::unique_ptr<DeviceExchange> params, WorkerDevice* device)
      : HostPath(parts), params_(std::move(params)), device_(*device) {}

  ParamExchange& exchange() override { return *params_; }
  void Run(int64_t step, const std::function<void()>& pass, bool replayable) override;
  void BeginBatch() override { device_.Begin(*parts_.ctx->state); }
  void MarkDeviceStale() override { params_->MarkDeviceStale(); }
  void Download() override;
  void Upload() override;

 private:
  const std::unique_ptr<DeviceExchange> params_;
  WorkerDevice& device_;
};

}  // namespace singa
