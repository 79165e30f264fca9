#include "train/device/step_graph.h"

#include <glog/logging.h>

#include "comm/exchange/region_exchange.h"
#include "nn/plan/host_part.h"
#include "singa/base/error.h"

namespace singa {

void StepGraph::Run(const std::function<void()>& step) {
  if (captures_ && !work_ && steps_++ == kWarmUp) Capture(step);
  if (!work_) return step();
  ComputeOnHost(*ctx_, pass_, net_);
  ctx_->stream->Replay(*work_);
}

void StepGraph::Forget() {
  work_.reset();
  steps_ = 0;
}

// Captures a step without running it. The workers of a group all capture their steps, or none does.
void StepGraph::Capture(const std::function<void()>& step) {
  std::string fault = Try(step);
  double faults = fault.empty() ? 0 : 1;
  if (ctx_->group) ctx_->group->Sum({&faults, 1});
  if (faults == 0) return;
  captures_ = false;
  work_.reset();
  if (ctx_->exchange) ctx_->exchange->DropOffers();
  if (fault.empty()) fault = "that of another worker of the group cannot";
  LOG(WARNING) << "a step cannot be captured, its work goes to the GPU piece by piece, which is "
                  "slower: "
               << fault;
}

// Returns why the step cannot be captured; "": it is.
std::string StepGraph::Try(const std::function<void()>& step) {
  const DeviceOnly device_only(net_);
  Stream& stream = *ctx_->stream;
  try {
    stream.BeginCapture();
    step();
    work_ = stream.EndCapture();
    return "";
  } catch (const DeviceError& error) {
    stream.DropCapture();
    return error.what();
  } catch (...) {
    stream.DropCapture();
    throw;
  }
}

}  // namespace singa
