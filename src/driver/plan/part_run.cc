#include "driver/plan/part_run.h"

#include <algorithm>

#include "driver/plan/net_layers.h"
#include "driver/timing/median.h"
#include "nn/connection/bridge.h"
#include "train/state/init_params.h"

namespace singa {

PartRun::PartRun(const JobProto& job, const WorkerPlace& place, PartMeeting* meeting, int part)
    : part_(job, place) {
  WorkerModel& model = part_.trainer().model();
  others_ = std::make_unique<PartExchange>(SizesOfBridges(model.net().nodes(), place.workers),
                                           meeting, part);
  reduction_ = std::make_unique<GradientReduction>(
      model.trained().table, part_.updates(),
      MemoryGroup::Options{.ranks = {place.worker, place.worker + 1}, .group = place.workers});
  part_.trainer().AllocateIn(reduction_.get(), others_.get(), nullptr, nullptr);
  InitParams(model.ctx(), {}, &model.params());
  timer_ = std::make_unique<StepTimer>(&part_.trainer(), &clock_);
}

double PartRun::Step(int64_t step) {
  others_->TakeWait();
  return timer_->Step(step);
}

void PartRun::Record(double ms) {
  ms_.push_back(ms);
  waits_.push_back(others_->TakeWait());
  times_.push_back(timer_->layers());
}

PartTimes PartRun::Result() const {
  PartTimes result;
  const NetLayers layers(net());
  std::vector<double> rest = ms_;
  for (size_t i = 0; i < net().nodes().size(); ++i) {
    for (size_t s = 0; s < rest.size(); ++s) rest[s] -= times_[s][i].sum();
    if (layers.Of(i) < 0) continue;
    LayerTimes& sum = result.layers[layers.names()[layers.Of(i)]];
    sum.forward += MedianOf(times_, i, &LayerTimes::forward);
    sum.backward += MedianOf(times_, i, &LayerTimes::backward);
    sum.update += MedianOf(times_, i, &LayerTimes::update);
  }
  result.rest_ms = std::max(0.0, Median(std::move(rest)));
  return result;
}

double PartRun::MsOf(size_t step) const {
  double ms = ms_[step] + waits_[step];
  for (size_t i = 0; i < net().nodes().size(); ++i)
    ms -= net().nodes()[i].bridge ? times_[step][i].sum() : times_[step][i].wait;
  return ms;
}

}  // namespace singa
