#include "train/device/step_outcomes.h"

#include <glog/logging.h>

#include <cmath>

#include "base/thread/activity_mark.h"
#include "singa/base/error.h"
#include "singa/tensor/memory.h"

namespace singa {

std::vector<std::string> LossLayers(const Net& net) {
  std::vector<std::string> layers;
  for (const NetNode& node : net.nodes())
    if (node.traits.originates_gradient)
      layers.insert(layers.end(), node.declared().metrics.size(), node.name);
  return layers;
}

StepOutcomes::StepOutcomes(Worker worker) : worker_(std::move(worker)) {
  report_ = Allocate(*worker_.ctx, {static_cast<int64_t>(sizeof(StepReport))}, DType::kU8);
  const StepReport none;
  CopyFromHost(*worker_.ctx, &none, report(), sizeof none);
  for (size_t i = 0; i <= worker_.ahead; ++i)
    free_.push_back(worker_.ctx->stream->gpu().AllocatePinned(sizeof(StepReport)));
}

void StepOutcomes::SendReport() {
  Stream& stream = *worker_.ctx->stream;
  SentReport next = {std::move(free_.back()), nullptr};
  free_.pop_back();
  stream.Copy(report(), next.report.get(), sizeof(StepReport));
  next.here = stream.Record();
  on_their_way_.push_back(std::move(next));
}

int64_t StepOutcomes::AwaitReports(size_t most, const std::vector<const Param*>& pieces,
                                   GpuGroup* group) {
  const ActivityMark::Scope waits(worker_.ctx->mark,
                                  group ? Activity::kAwaitsWorkers : Activity::kUpdating);
  int64_t left_out = 0;
  while (on_their_way_.size() > most) {
    const SentReport next = std::move(on_their_way_.front());
    on_their_way_.pop_front();
    free_.push_back(next.report);
    if (group)
      group->Await(*next.here);
    else
      next.here->Wait();
    const auto& report = *static_cast<const StepReport*>(next.report.get());
    gradient_norm_ = report.verdict.dropped ? std::nan("") : report.norm;
    left_out += LeavesOut(report, pieces);
  }
  return left_out;
}

bool StepOutcomes::LeavesOut(const StepReport& report, const std::vector<const Param*>& pieces) {
  LossScale* const scale = worker_.loss_scale;
  if (!report.verdict.dropped) {
    if (scale) scale->Took();
    return false;
  }
  if (scale && scale->BacksOff()) {
    if (worker_.leads)
      LOG(INFO) << TextOf(report, pieces) << ": losses are scaled by " << scale->value()
                << " from now on";
    return true;
  }
  const std::string text =
      TextOf(report, pieces, worker_.place_of ? worker_.place_of(report) : NotFiniteAt());
  if (!worker_.skips) throw DivergedError(text);
  if (!worker_.leads) return true;
  LOG(WARNING) << SkippedText(text);
  worker_.updates->set_skips(worker_.updates->skips() + 1);
  return true;
}

std::string StepOutcomes::TextOf(const StepReport& report, const std::vector<const Param*>& pieces,
                                 const NotFiniteAt& at) const {
  if (report.loss >= 0) return LossNotFiniteText(worker_.losses[report.loss], report.step, at);
  const Param& param = *pieces[report.piece];
  return GradientNotFiniteText(ParamText(param.name(), param.layer()), report.step, at);
}

}  // namespace singa
