#include "train/trainer/device_path.h"

#include "singa/base/error.h"

namespace singa {

void DevicePath::Run(int64_t step, const std::function<void()>& pass, bool replayable) {
  device_.gpu().Use();
  if (updates_->Changes(step)) graph_->Forget();
  updates_->BeginStep(step);
  if (loss_scale_) ctx_.state->loss_scale = static_cast<float>(loss_scale_->value());
  device_.Begin(*ctx_.state);
  try {
    if (replayable)
      graph_->Run(pass);
    else
      pass();
  } catch (const DataError&) {  // if an earlier step has diverged, Settle throws that first
    updates_->Settle();
    throw;
  }
  updates_->EndStep();
}

double DevicePath::GradientNorm(int64_t) {
  Await();
  return updates_->gradient_norm();
}

void DevicePath::Download() {
  device_.gpu().Use();
  updates_->Download();
}

void DevicePath::Upload() {
  device_.gpu().Use();
  updates_->Upload();
}

void DevicePath::Await() {
  device_.gpu().Use();
  updates_->Settle();
}

void DevicePath::CollectMetrics() {
  Await();
  updates_->DownloadMetrics();
}

// The captured work goes before the group of GPUs that it uses.
void DevicePath::LeaveGroup() {
  graph_.reset();
  updates_->Leave();
}

}  // namespace singa
