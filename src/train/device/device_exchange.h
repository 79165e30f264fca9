// DeviceExchange: the DeviceParams of a worker whose updates are the host's, in front of the
// exchange that it would have there. Values go to the device when they are awaited in a step, and
// gradients to the host while the backward pass goes on.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "singa/tensor/context.h"
#include "singa/tensor/stream.h"
#include "train/device/device_params.h"

namespace singa {

class DeviceExchange final : public DeviceParams {
 public:
  // Both outlive it. `host` null: there are no steps.
  DeviceExchange(ParamExchange* host, Context* ctx) : host_(host), ctx_(ctx) {}

  // Its grad, where it has one, is the host's so far: that is where gradients go. Others are left
  // to the host.
  void Place(Param* param) override;
  void Renew() override;
  void Upload() override;
  // Those that their layers keep themselves; the host has all others.
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
    std::shared_ptr<void> values, gradient;  // pinned, on their way
    std::unique_ptr<Event> sent;             // values have left
    bool fresh = false;                      // the device has the values
  };
  struct OnItsWay {
    Param* param;
    std::unique_ptr<Event> here;
  };

  void Send(Param* param, Placed* placed);
  void HandOn(const OnItsWay& gradient, int64_t step);

  ParamExchange* const host_;
  Context* const ctx_;
  std::map<Param*, Placed> placed_;
  std::deque<OnItsWay> on_their_way_;
};

}  // namespace singa
