// DeviceExchange is the DeviceParams of a worker whose params the host updates. It stands in front
// of the host's exchange. Values go to the device when a step awaits them, and gradients go to the
// host while the backward pass goes on.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "singa/tensor/context.h"
#include "singa/tensor/stream.h"
#include "train/device/device_params.h"
#include "train/reduce/trained_params.h"

namespace singa {

class DeviceExchange final : public DeviceParams {
 public:
  // All must outlive it. `host` and `trained` are null if there are no steps.
  DeviceExchange(ParamExchange* host, Context* ctx, const TrainedParams* trained = nullptr)
      : host_(host), ctx_(ctx), trained_(trained) {}

  // If `param` has a gradient tensor, it is the host's, to which the device's gradients go.
  // Gradients of other params are left to the host.
  void Place(Param* param) override;
  void MarkDeviceStale() override;
  void Upload() override;
  // Copies the values that layers change themselves; the host has all others.
  void Download() override;

  void Await(Param* param, int64_t step) override;
  void GradientReady(Param* param, int64_t step) override;
  bool may_drop_steps() const override { return host_->may_drop_steps(); }
  void LossNotFinite(const std::string& layer, int64_t step) override {
    host_->LossNotFinite(layer, step);
  }
  void Finish(int64_t step) override;

 private:
  struct Placed {
    Tensor grad;                             // the host's; empty: none
    std::shared_ptr<void> values, gradient;  // pinned memory for copies
    std::unique_ptr<Event> sent;             // the copy of the values is done
    bool fresh = false;                      // the device has the values
    bool host_updates = false;               // steps change the host's values
  };
  struct SentGradient {
    Param* param;
    std::unique_ptr<Event> here;
  };

  void Send(Param* param, Placed* placed);
  void HandOn(const SentGradient& gradient, int64_t step);

  ParamExchange* const host_;
  Context* const ctx_;
  const TrainedParams* const trained_;
  std::map<Param*, Placed> placed_;
  std::deque<SentGradient> on_their_way_;
};

}  // namespace singa
