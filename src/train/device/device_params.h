// DeviceParams is the ParamExchange of a worker whose layers compute on a device. It also gives the
// params memory there.
#pragma once

#include <vector>

#include "singa/nn/net.h"
#include "singa/train/param_exchange.h"

namespace singa {

class DeviceParams : public ParamExchange {
 public:
  // Gives `param` memory on the device, where its layers compute, and for its gradient if it has
  // one.
  virtual void Place(Param* param) = 0;
  // Notes that values and states on the host were set, so that the device needs a copy.
  virtual void MarkDeviceStale() = 0;
  // Copies all values to the device, for a pass without steps.
  virtual void Upload() = 0;
  // Copies all that the device has changed to the host.
  virtual void Download() = 0;

 protected:
  // Allocates memory as large as `param`. Throws DeviceError, which names the param and its layer.
  static Tensor AllocateFor(const Param& param, const Context& ctx);
};

// Places each param that a layer of `nets` uses on the device. Throws DeviceError if a layer on the
// host uses it, too.
void PlaceParams(const std::vector<const Net*>& nets, DeviceParams* params);

}  // namespace singa
