#include "driver/plan/job_costs.h"

#include <algorithm>

#include "driver/plan/net_layers.h"
#include "train/trainer/trainer.h"

namespace singa {
namespace {

constexpr double kMb = 1e6;

}  // namespace

JobCosts::JobCosts(const JobProto& job, const PlanCluster& cluster, const SyncRates& rates)
    : cluster_(cluster), rates_(rates) {
  AddPart(job, {});
  if (cluster.workers == 1) return;
  by_units_ = LayersWithUnits(job, cluster);
  if (!by_units_.empty()) AddPart(job, by_units_);
}

void JobCosts::AddPart(const JobProto& job, const UnitLayers& by_units) {
  PartRequest request{job, cluster_};
  SetUnitLayers(by_units, request.job.mutable_neuralnet());
  const WorkerModel model(request.job, cluster_.PlaceOf(cluster_.workers - 1), nullptr);
  if (layers_.empty()) layers_ = NetLayers(model.net()).Skeleton();
  memory_.push_back(MemoryOf(model));
  requests_.push_back(std::move(request));
}

JobCosts::Memory JobCosts::MemoryOf(const WorkerModel& model) {
  Memory memory;
  const NetLayers layers(model.net());
  const std::vector<Param*>& own = model.trained().own;
  for (size_t i = 0; i < model.net().nodes().size(); ++i) {
    if (layers.Of(i) < 0) continue;
    const NetNode& node = model.net().nodes()[i];
    LayerMemory& of = memory[layers.names()[layers.Of(i)]];
    for (const Port* out : node.out)
      if (!node.traits.aliases_in) of.features += out->data.bytes();
    for (const Param* param : node.completes) {
      of.trained += param->data.bytes();
      of.divided = of.divided || param->is_part();
      const auto at = std::ranges::find(own, param) - own.begin();
      if (!model.trained().in_pieces[at]) of.gradients += param->data.bytes();
    }
  }
  return memory;
}

LayerCost JobCosts::CostOf(const LayerTimes& times, const LayerMemory& memory) const {
  LayerCost cost;
  const double sharing = cluster_.sharing();
  cost.forward_ms = times.forward * sharing;
  cost.backward_ms = times.backward * sharing;
  cost.update_ms = times.update * sharing;
  cost.bytes = memory.features + memory.gradients;
  if (memory.divided || cluster_.workers == 1) return cost;
  // The workers of a host share the work on sums and updates of the slices that the host has.
  const int hosts = cluster_.hosts, here = cluster_.here();
  const auto bytes = static_cast<double>(memory.trained);
  cost.update_ms /= cluster_.workers;
  cost.update_ms += 1e-6 * bytes * (here - 1) / here / rates_.copy_gb_per_s * sharing;
  cost.moved_bytes = static_cast<int64_t>(bytes * (cluster_.workers - 1) / cluster_.workers);
  if (hosts == 1) return cost;
  const double sent = 2 * bytes * (hosts - 1) / hosts;  // gradients and new values
  cost.sent_bytes = static_cast<int64_t>(sent);
  cost.sent_ms = sent / kMb * LinkMsPerMb();
  cost.update_ms += sent / kMb * rates_.send_ms_per_mb / here;
  return cost;
}

BridgeRates JobCosts::Bridges() const {
  return {.workers = cluster_.workers,
          .here = cluster_.here(),
          .copy_ms_per_mb = 1 / rates_.copy_gb_per_s * cluster_.sharing(),
          .link_ms_per_mb = LinkMsPerMb() + rates_.send_ms_per_mb,
          .meeting_ms = 1e-3 * rates_.meeting_us,
          .link_ms = 1e-3 * cluster_.link_us};
}

CostNet JobCosts::Net(const std::vector<PartTimes>& times) const {
  CostNet net;
  net.layers = layers_;
  net.bridges = Bridges();
  net.step_ms = times[0].rest_ms;
  const auto cost = [&](size_t part, const std::string& layer) {
    const auto at = times[part].layers.find(layer);
    return CostOf(at == times[part].layers.end() ? LayerTimes() : at->second,
                  memory_[part].at(layer));
  };
  for (CostLayer& layer : net.layers) {
    layer.rows = cost(0, layer.name);
    if (by_units_.count(layer.name)) layer.units = cost(1, layer.name);
  }
  return net;
}

}  // namespace singa
