#include "driver/plan/job_costs.h"

#include <algorithm>

#include "driver/plan/net_layers.h"
#include "nn/cost/step_cost.h"
#include "train/apply/update_rule.h"

namespace singa {
namespace {

constexpr double kMb = 1e6;

}  // namespace

JobCosts::JobCosts(const JobProto& job, const PlanCluster& cluster, const SyncRates& rates)
    : cluster_(cluster), rates_(rates) {
  AddPart(job, LayoutByRows(cluster.workers), {});
  for (const Layout& layout : LayoutsFor(job.neuralnet(), cluster.workers)) {
    const std::set<std::string> layers = LayersFor(layout, job, cluster);
    if (!layers.empty()) AddPart(job, layout, layers);
  }
}

void JobCosts::AddPart(const JobProto& job, const Layout& layout,
                       const std::set<std::string>& layers) {
  PartRequest request{job, cluster_};
  request.job.clear_on_nonfinite();  // a part that left out a step alone would not meet the others
  SetDivision(DivisionOf(layers, layout), request.job.mutable_neuralnet());
  const WorkerModel model(request.job, cluster_.PlaceOf(cluster_.workers - 1), nullptr);
  if (parts_.empty()) {
    layers_ = NetLayers(model.net()).Skeleton();
    for (const Param* param : model.trained().params) trained_.params.push_back(param->shape());
    trained_.states = static_cast<int>(UpdateRule(request.job).states().size());
  }
  parts_.push_back({layout, layers, MemoryOf(model)});
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
    if (const CostOutput read = layers.ReadOfStage(i); read.bytes > 0) of.stages = read;
    for (const Param* param : node.completes) {
      ParamMemory& params = of.params[param->contributors()];
      params.trained += param->data.bytes();
      params.whole = param->contributors() == 1 && !param->is_part();
      const auto at = std::ranges::find(own, param) - own.begin();
      if (!model.trained().in_pieces[at]) params.gradients += param->data.bytes();
    }
  }
  return memory;
}

int64_t JobCosts::LayerMemory::trained() const {
  int64_t bytes = 0;
  for (const auto& [contributors, memory] : params) bytes += memory.trained;
  return bytes;
}

int64_t JobCosts::LayerMemory::gradients() const {
  int64_t bytes = 0;
  for (const auto& [contributors, memory] : params) bytes += memory.gradients;
  return bytes;
}

LayerCost JobCosts::CostOf(const LayerTimes& times, const LayerMemory& memory, const Layout& layout,
                           const ExchangeForm& form) const {
  LayerCost cost;
  cost.forward_ms = times.forward;
  cost.backward_ms = times.backward;
  cost.update_ms = times.update;
  cost.bytes = memory.features + memory.gradients();
  if (memory.stages.bytes > 0) AddStages(memory.stages, layout, &cost);
  const int64_t trained = memory.trained();
  if (cluster_.workers == 1 || trained == 0) return cost;
  cost.update_ms = 0;
  for (const auto& [contributors, params] : memory.params) {
    LayerCost sums;
    const double share = static_cast<double>(params.trained) / static_cast<double>(trained);
    sums.update_ms = share * times.update;
    AddSums(contributors, params, form, &sums);
    cost.update_ms += sums.update_ms;
    cost.coding_ms += sums.coding_ms;
    cost.sent_ms += sums.sent_ms;
    cost.sent_bytes += sums.sent_bytes;
    cost.moved_bytes += sums.moved_bytes;
  }
  return cost;
}

// Adds the bridge between the stages of a layer, for which the worker waits.
void JobCosts::AddStages(const CostOutput& output, const Layout& layout, LayerCost* cost) const {
  const BridgeRates rates = Bridges();
  const Need need = NeedOf(layout, true);
  const BridgeCost bridge =
      singa::CostOf(rates, output, need, BridgeShares(rates.workers, rates.here).Of(layout, need));
  cost->forward_ms += bridge.forward_ms;
  cost->backward_ms += bridge.backward_ms;
  cost->moved_bytes += bridge.moved_bytes;
  cost->sent_bytes += bridge.sent_bytes;
  cost->bytes += bridge.bytes;
}

// Workers of a host that have the same rows of a param share the work on their sums and updates,
// except for GPUs, which have values of their own. Gradients in pieces are added up in the cache.
void JobCosts::AddSums(int contributors, const ParamMemory& memory, const ExchangeForm& form,
                       LayerCost* cost) const {
  const int workers = cluster_.workers, here = cluster_.here();
  const bool all = memory.whole || contributors == 0;
  const int alike = all ? workers : contributors;
  const int parts = workers / alike;                        // of the param
  const int alike_here = std::max(1, here / parts);         // workers of a host with the same part
  const int hosts = (alike + alike_here - 1) / alike_here;  // with the same part
  const auto bytes = static_cast<double>(memory.trained);
  if (!cluster_.gpus) cost->update_ms /= form.updates_all ? alike_here : alike;
  if (!memory.whole) {
    const auto stored = static_cast<double>(memory.gradients);
    cost->update_ms +=
        1e-6 * stored * (alike_here - 1) / alike_here / rates_.copy_gb_per_s * cluster_.sharing();
    cost->moved_bytes = static_cast<int64_t>(bytes * (alike - 1) / alike);
  }
  const double of_host = bytes * std::min(parts, here);  // its parts of the param
  if (cluster_.servers > 0 && !form.updates_all) return AddServers(bytes, of_host, cost);
  if (hosts == 1) return;
  cost->moved_bytes += static_cast<int64_t>(bytes * (hosts - 1) / hosts);  // new values
  AddExchange(of_host, hosts, form, cost);
}

// Each host adds up an equal share of the params. It gets the gradients of this share from all
// others, sends them the sums or new values, and gets those of the rest.
void JobCosts::AddExchange(double bytes, int hosts, const ExchangeForm& form,
                           LayerCost* cost) const {
  const double mb = bytes / kMb, share = 1.0 / hosts;
  const double work = form.encode_ms + (2 - share) * form.decode_ms + share * form.sum_ms;
  AddSent((form.gradient + form.sum) * bytes * (hosts - 1) / hosts, cost);
  cost->sent_ms += mb * form.latency_ms;
  cost->coding_ms = mb * work / cluster_.here();
  cost->update_ms += cost->coding_ms;
}

// A few hosts have the servers, to which all hosts send the gradients of all params, even those of
// one worker. A server's host sends its slices' values to the others. If it has workers, it sends
// gradients to the other servers, too. The host that sends most counts.
void JobCosts::AddServers(double bytes, double of_host, LayerCost* cost) const {
  const int hosts = cluster_.hosts, servers = cluster_.servers;
  cost->update_ms *= static_cast<double>(hosts) / servers;
  cost->moved_bytes += static_cast<int64_t>(bytes);  // new values
  const double sent = static_cast<double>(hosts + servers - 2) / servers;
  const double sent_apart = std::max(1.0, static_cast<double>(hosts) / servers);
  AddSent(of_host * (cluster_.servers_apart ? sent_apart : sent), cost);
}

// Adds what a host sends.
void JobCosts::AddSent(double bytes, LayerCost* cost) const {
  cost->sent_bytes = static_cast<int64_t>(bytes);
  cost->sent_ms = bytes / kMb * LinkMsPerMb();
  cost->update_ms += bytes / kMb * rates_.send_ms_per_mb / cluster_.here();
}

double JobCosts::EndMs(const ExchangeForm& form) const {
  if (cluster_.hosts == 1 || trained_.bytes() == 0) return 0;
  return 1e-3 * form.last_messages * (cluster_.link_us + rates_.message_us);
}

BridgeRates JobCosts::Bridges() const {
  return {.workers = cluster_.workers,
          .here = cluster_.here(),
          .batches = requests_[0].job.accumulate_steps(),
          .copy_ms_per_mb = 1 / rates_.copy_gb_per_s * cluster_.turns(),
          .link_ms_per_mb = LinkMsPerMb() + rates_.send_ms_per_mb,
          .meeting_ms = 1e-3 * rates_.meeting_us,
          .link_ms = 1e-3 * cluster_.link_us};
}

CostNet JobCosts::Net(const std::vector<PartTimes>& times, const ExchangeForm& form) const {
  CostNet net;
  net.layers = layers_;
  net.bridges = Bridges();
  net.step_ms = times[0].rest_ms + EndMs(form);
  const auto times_of = [&](size_t part, const std::string& layer) {
    const auto at = times[part].layers.find(layer);
    return at == times[part].layers.end() ? LayerTimes() : at->second;
  };
  for (CostLayer& layer : net.layers)
    for (size_t i = 0; i < parts_.size(); ++i) {
      const Part& part = parts_[i];
      if (i > 0 && !part.layers.contains(layer.name)) continue;
      const LayerMemory& memory = part.memory.at(layer.name);
      LayerTimes of = times_of(i, layer.name);
      // The part that is measured is another worker's than the first.
      if (memory.whole()) of.update = times_of(0, layer.name).update;
      layer.costs[part.layout] = CostOf(of, memory, part.layout, form);
    }
  return net;
}

}  // namespace singa
