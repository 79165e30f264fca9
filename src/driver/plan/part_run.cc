#include "driver/plan/part_run.h"

#include <algorithm>

#include "driver/bench/median.h"
#include "driver/plan/net_layers.h"
#include "nn/connection/bridge.h"
#include "train/state/init_params.h"

namespace singa {
namespace {

// Gives zeros in place of other workers' regions. Labels of class 0 are zeros, too.
class ZeroExchange final : public RegionExchange {
 public:
  explicit ZeroExchange(int64_t most) : zeros_(static_cast<size_t>(most)) {}
  void Offer(Context&, int, int, const Region&) override {}
  void Take(Context& ctx, int, int, const Region& to, bool add) override {
    MoveRegion(ctx, Packed(to, zeros_.data()), to, add);
  }
  void AwaitTaken(int) override {}

 private:
  std::vector<float> zeros_;
};

}  // namespace

PartRun::PartRun(const JobProto& job, const WorkerPlace& place) : part_(job, place) {
  WorkerModel& model = part_.trainer().model();
  others_ = std::make_unique<ZeroExchange>(SizesOfBridges(model.net().nodes(), place.workers).most);
  reduction_ = std::make_unique<GradientReduction>(
      model.trained().table, part_.updates(),
      MemoryGroup::Options{.ranks = {place.worker, place.worker + 1}, .group = place.workers});
  part_.trainer().AllocateIn(reduction_.get(), others_.get(), nullptr, nullptr);
  InitParams(model.ctx(), {}, &model.params());
  timer_ = std::make_unique<StepTimer>(&part_.trainer(), &clock_);
}

void PartRun::Record(double ms) {
  ms_.push_back(ms);
  times_.push_back(timer_->layers());
}

double PartRun::MedianOf(size_t node, double LayerTimes::*part) const {
  std::vector<double> values;
  values.reserve(times_.size());
  for (const std::vector<LayerTimes>& step : times_) values.push_back(step[node].*part);
  return Median(std::move(values));
}

PartTimes PartRun::Result() const {
  PartTimes result;
  const NetLayers layers(net());
  std::vector<double> rest = ms_;
  for (size_t i = 0; i < net().nodes().size(); ++i) {
    for (size_t s = 0; s < rest.size(); ++s) rest[s] -= times_[s][i].sum();
    if (layers.Of(i) < 0) continue;
    LayerTimes& sum = result.layers[layers.names()[layers.Of(i)]];
    sum.forward += MedianOf(i, &LayerTimes::forward);
    sum.backward += MedianOf(i, &LayerTimes::backward);
    sum.update += MedianOf(i, &LayerTimes::update);
  }
  result.rest_ms = std::max(0.0, Median(std::move(rest)));
  return result;
}

double PartRun::MsOf(size_t step) const {
  double ms = ms_[step];
  for (size_t i = 0; i < net().nodes().size(); ++i)
    ms -= net().nodes()[i].bridge ? times_[step][i].sum() : times_[step][i].wait;
  return ms;
}

}  // namespace singa
