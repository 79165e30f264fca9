#include "driver/plan/rated_times.h"

#include <algorithm>

#include "driver/plan/net_layers.h"
#include "driver/timing/node_work.h"
#include "singa/base/str_cat.h"
#include "train/apply/update_rule.h"
#include "train/trainer/worker_model.h"

namespace singa {

LayerTimes RatedTimes::TimesOf(const NetNode& node, int64_t states,
                               const PlanCluster& cluster) const {
  double gflops = machine_.gflops(), gb_per_s = machine_.gb_per_s();
  if (!node.conf.has_user_type())
    for (const MachineProto::Rate& rate : machine_.rate()) {
      if (rate.type() != node.conf.type()) continue;
      if (rate.has_gflops()) gflops = rate.gflops();
      if (rate.has_gb_per_s()) gb_per_s = rate.gb_per_s();
    }
  const int cores = std::min(cluster.threads, cluster.cores);  // that a worker computes with
  gflops *= cores;
  gb_per_s *= cores;
  if (machine_.has_host_gb_per_s())
    gb_per_s = std::min(gb_per_s, machine_.host_gb_per_s() / cluster.at_once());
  const auto ms = [&](double flops, double bytes) {
    return 1e3 * std::max(1e-9 * flops / gflops, 1e-9 * bytes / gb_per_s) +
           1e-3 * machine_.call_us();
  };
  const NodeWork work = WorkOf(node, states);
  LayerTimes times;
  times.forward = node.fused ? 0 : ms(work.forward_flops, work.forward_bytes);
  if (node.runs_backward && !node.fused)
    times.backward = ms(work.backward_flops, work.backward_bytes);
  if (work.update_bytes > 0) times.update = ms(0, work.update_bytes);
  return times;
}

PartTimes RatedTimes::Of(const PartRequest& request) const {
  PartTimes times;
  const PlanCluster& cluster = request.cluster;
  const WorkerModel model(request.job, cluster.PlaceOf(cluster.workers - 1), nullptr);
  const auto states = static_cast<int64_t>(UpdateRule(request.job).states().size());
  const NetLayers layers(model.net());
  const double turns = cluster.turns() * request.job.accumulate_steps();
  for (size_t i = 0; i < model.net().nodes().size(); ++i) {
    if (layers.Of(i) < 0) continue;
    const LayerTimes of_node = TimesOf(model.net().nodes()[i], states, cluster);
    LayerTimes& sum = times.layers[layers.names()[layers.Of(i)]];
    sum.forward += of_node.forward * turns;
    sum.backward += of_node.backward * turns;
    sum.update += of_node.update * cluster.sharing();
  }
  return times;
}

std::vector<PartTimes> RatedTimes::Of(const std::vector<PartRequest>& requests) {
  std::vector<PartTimes> times;
  for (const PartRequest& request : requests) times.push_back(Of(request));
  return times;
}

std::string RatedTimes::source() const {
  return StrCat("the machine file", machine_.name().empty() ? "" : ", ", machine_.name());
}

}  // namespace singa
