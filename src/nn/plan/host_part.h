// These functions separate the host's part of a step from the device's part. A device replays its
// part of a captured step in one launch, after the host has done its own part.
#pragma once

#include <string>

#include "singa/nn/net.h"

namespace singa {

// Says, in words for the user, why the host has to work in the middle of a step, after work of the
// device. Returns "" if the host only makes batches of records. REQUIRES: PrepareNet was called.
std::string WhyHostWorks(const Net& net);

// Does the host's work of a step: features of nodes on the host, and checks of inputs. REQUIRES:
// WhyHostWorks(*net) is "".
void ComputeOnHost(Context& ctx, Phase flags, Net* net);

// While a DeviceOnly exists, Net::ComputeFeature leaves out what ComputeOnHost does.
class DeviceOnly {
 public:
  explicit DeviceOnly(Net* net) : net_(net) { net_->set_device_only(true); }
  ~DeviceOnly() { net_->set_device_only(false); }
  DeviceOnly(const DeviceOnly&) = delete;

 private:
  Net* const net_;
};

}  // namespace singa
