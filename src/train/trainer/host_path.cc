#include "train/trainer/host_path.h"

namespace singa {

void HostPath::Run(int64_t step, const std::function<void()>& pass, bool) {
  pass();
  if (parts_.updates->skipped(step))
    parts_.metrics->Drop(*parts_.ctx);
  else
    parts_.metrics->Take(*parts_.ctx);
}

void DeviceLayersPath::Run(int64_t step, const std::function<void()>& pass, bool replayable) {
  device_.gpu().Use();
  device_.Begin(*parts_.ctx->state);
  HostPath::Run(step, pass, replayable);
}

void DeviceLayersPath::Download() {
  device_.gpu().Use();
  params_->Download();
}

void DeviceLayersPath::Upload() {
  device_.gpu().Use();
  params_->Upload();
}

}  // namespace singa
