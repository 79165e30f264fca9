#include "train/device/step_graph.h"

#include <glog/logging.h>

#include "singa/base/error.h"

namespace singa {

void StepGraph::Run(const std::function<void()>& step) {
  if (captures_ && steps_++ == kWarmUp) Capture(step);
  if (!work_) return step();
  net_->ComputeOnHost(*ctx_, pass_);
  ctx_->stream->Replay(*work_);
}

// Nothing of it runs.
void StepGraph::Capture(const std::function<void()>& step) {
  const Net::DeviceOnly device_only(net_);
  Stream& stream = *ctx_->stream;
  try {
    stream.BeginCapture();
    step();
    work_ = stream.EndCapture();
  } catch (const DeviceError& error) {
    captures_ = false;
    stream.DropCapture();
    LOG(WARNING) << "a step cannot be captured, its work goes to the GPU piece by piece, which is "
                    "slower: "
                 << error.what();
  }
}

}  // namespace singa
