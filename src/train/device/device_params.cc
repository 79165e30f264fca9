#include "train/device/device_params.h"

#include <map>
#include <string>

#include "singa/base/error.h"
#include "singa/tensor/memory.h"

namespace singa {

Tensor DeviceParams::AllocateFor(const Param& param, const Context& ctx) {
  try {
    return Allocate(ctx, param.shape());
  } catch (const DeviceError& error) {
    throw DeviceError(
        StrCat("param \"", param.name(), "\" of layer \"", param.layer(), "\": ", error.what()));
  }
}

void PlaceParams(const std::vector<const Net*>& nets, DeviceParams* params) {
  std::map<Param*, std::string> on_device, on_host;  // with a layer that uses the param
  for (const Net* net : nets)
    for (const NetNode& node : net->nodes())
      for (Param* param : node.declared().params)
        (node.on_device ? on_device : on_host).emplace(param, node.name);
  for (const auto& [param, layer] : on_device) {
    if (const auto other = on_host.find(param); other != on_host.end())
      throw DeviceError(StrCat("param \"", param->name(), "\" is shared by layer \"", layer,
                               "\", on the GPU, and layer \"", other->second,
                               "\", which runs on the CPU alone"));
    params->Place(param);
  }
}

}  // namespace singa
