#include "driver/plan/gradient_modes.h"

#include <algorithm>
#include <optional>

#include "base/text/counted.h"
#include "cluster/protocol/sync_plan.h"
#include "driver/plan/codec_forms.h"
#include "driver/plan/rank_forms.h"
#include "nn/cost/step_cost.h"
#include "singa/base/error.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

using Compression = AllReduceProto::Compression;

// Returns the job as one group trains it on `cluster` with the compression.
JobProto JobWith(const JobProto& job, const PlanCluster& cluster, Compression compression) {
  JobProto one = job;
  one.clear_gpu();
  ClusterProto& conf = *one.mutable_cluster();
  conf.set_nworker_groups(1);
  conf.set_nserver_groups(1);
  conf.set_nworkers_per_group(cluster.workers);
  if (cluster.hosts > 1) conf.set_nworkers_per_procs(cluster.here());
  if (compression != AllReduceProto::kNone || conf.has_all_reduce())
    conf.mutable_all_reduce()->set_compression(compression);
  return one;
}

// Returns how the workers of the job add gradients up; none: its backend cannot.
std::optional<SyncPlan> SyncOf(const JobProto& job, const PlanCluster& cluster) {
  try {
    return PlanSync(job, {.one_host = cluster.hosts == 1});
  } catch (const ConfigError&) {
    return {};
  }
}

// Ranks exchange one bucket after the other, so each of its messages is waited for. A gradient of
// kPowerSGD needs three sums: of both thin matrices, and of the params without any.
double LatencyMs(const AllReduceProto& conf, const TrainedShapes& shapes, double link_us) {
  constexpr int kMessagesOfSum = 2;
  int64_t sums = 1;  // of kPartial: one bucket a step
  if (conf.compression() != AllReduceProto::kPartial) sums = CountBuckets(conf, shapes);
  if (conf.compression() == AllReduceProto::kPowerSGD) sums *= 3;
  const double mb = 1e-6 * static_cast<double>(shapes.bytes());
  if (mb == 0) return 0;
  return 1e-3 * link_us * kMessagesOfSum * static_cast<double>(sums) / mb;
}

std::string Share(const AllReduceProto& conf) { return StrCat(100 * conf.sparsity(), " %"); }

std::string NameOf(const AllReduceProto& conf, const TrainedShapes& shapes) {
  const std::string name = AllReduceProto::Compression_Name(conf.compression());
  switch (conf.compression()) {
    case AllReduceProto::kTopK:
      return StrCat(name, ", ", Share(conf));
    case AllReduceProto::kThreshold:
      return StrCat(name, ", if ", Share(conf), " are sent");
    case AllReduceProto::kPowerSGD:
      return StrCat(name, ", rank ", conf.rank());
    case AllReduceProto::kPartial:
      return StrCat(name, ", ", Counted(CountPartialBuckets(conf, shapes), "bucket"));
    case AllReduceProto::kNone:
    case AllReduceProto::kFp16:
      break;
  }
  return name;
}

ExchangeForm FormOf(const JobProto& job, const PlanCluster& cluster, const TrainedShapes& shapes) {
  const AllReduceProto& conf = job.cluster().all_reduce();
  if (conf.compression() == AllReduceProto::kPowerSGD) return LowRankForm(conf, shapes);
  if (conf.compression() == AllReduceProto::kPartial) return PartialForm(conf, shapes);
  return CodecForm(job, cluster.hosts);
}

ModeForm ModeOf(const JobProto& job, const SyncPlan& plan, const PlanCluster& cluster,
                const TrainedShapes& shapes) {
  const AllReduceProto& conf = job.cluster().all_reduce();
  ModeForm mode = {.name = NameOf(conf, shapes),
                   .way = WayOf(plan),
                   .form = FormOf(job, cluster, shapes),
                   .by_rows = conf.compression() == AllReduceProto::kPartial};
  if (plan.mode != SyncMode::kRankSums) return mode;
  mode.form.updates_all = true;
  mode.form.latency_ms = LatencyMs(conf, shapes, cluster.link_us);
  return mode;
}

// Each host is a group, which trains its share of the batch. A fragment of the params is exchanged
// at a time. An exchange that takes longer than the steps to the next one delays that one.
ModeForm OuterMode(const ClusterProto& conf, int hosts) {
  const int fragments = std::min(conf.outer_fragments(), conf.sync_freq());
  const int overlap = std::min(conf.outer_overlap(), conf.sync_freq() - 1);
  ModeForm mode = {.name = "kOuter, " + Counted(conf.sync_freq(), "step"),
                   .way = ToString(SyncMode::kServers),
                   .form = OuterForm(conf, hosts),
                   .by_rows = true,
                   .exchanges = static_cast<double>(fragments) / conf.sync_freq()};
  mode.overlap = std::min<double>(overlap, 1 / mode.exchanges);
  if (conf.outer_compression() != ClusterProto::kNone)
    mode.name += ", " + ClusterProto::OuterCompression_Name(conf.outer_compression());
  if (fragments > 1) mode.name += StrCat(", ", fragments, " fragments");
  if (overlap > 0) mode.name += StrCat(", overlap ", overlap);
  for (double* number : {&mode.form.gradient, &mode.form.sum, &mode.form.encode_ms,
                         &mode.form.decode_ms, &mode.form.sum_ms})
    *number /= fragments;
  return mode;
}

}  // namespace

std::vector<ModeForm> ModesOf(const JobProto& job, const PlanCluster& cluster,
                              const TrainedShapes& shapes) {
  if (shapes.bytes() == 0) return {};
  std::vector<ModeForm> modes;
  for (const Compression compression :
       {AllReduceProto::kNone, AllReduceProto::kFp16, AllReduceProto::kTopK,
        AllReduceProto::kThreshold, AllReduceProto::kPowerSGD, AllReduceProto::kPartial}) {
    const JobProto one = JobWith(job, cluster, compression);
    if (const auto plan = SyncOf(one, cluster))
      modes.push_back(ModeOf(one, *plan, cluster, shapes));
    else if (compression == AllReduceProto::kNone)
      return {};
  }
  modes.push_back(OuterMode(job.cluster(), cluster.hosts));
  return modes;
}

ExchangeForm WholeForm(const JobProto& job, const PlanCluster& cluster,
                       const TrainedShapes& shapes) {
  if (cluster.hosts == 1 || cluster.gpus) return {};
  const JobProto one = JobWith(job, cluster, AllReduceProto::kNone);
  const std::optional<SyncPlan> plan = SyncOf(one, cluster);
  if (!plan || plan->mode != SyncMode::kRankSums) return {};
  return ModeOf(one, *plan, cluster, shapes).form;
}

std::string WayOnOneHost(const JobProto& job, const PlanCluster& cluster) {
  const auto plan = SyncOf(JobWith(job, cluster, AllReduceProto::kNone), cluster);
  return plan ? TextOf(*plan) : "";
}

GradientMode Predict(const ModeForm& mode, const JobCosts& costs,
                     const std::vector<PartTimes>& times, const Layouts& layouts) {
  const auto cost_of = [&](const ExchangeForm& form) {
    const CostNet net = costs.Net(times, form);
    const Layouts by_rows(layouts.size(), LayoutByRows(net.bridges.workers));
    return CostOfStep(net, mode.by_rows ? by_rows : layouts);
  };
  const StepCost with = cost_of(mode.form);
  const StepCost without = cost_of({.gradient = 0, .sum = 0, .updates_all = true});
  const double hidden_ms =
      std::min(mode.overlap * without.step_ms, std::max(0.0, with.exposed_ms - without.exposed_ms));
  const auto mean = [&](auto a, auto b) {
    return static_cast<decltype(a)>(mode.exchanges * a + (1 - mode.exchanges) * b);
  };
  return {.name = mode.name,
          .way = mode.way,
          .step_ms = mean(with.step_ms - hidden_ms, without.step_ms),
          .exposed_ms = mean(with.exposed_ms - hidden_ms, without.exposed_ms),
          .sent_bytes = mean(with.sent_bytes, without.sent_bytes)};
}

}  // namespace singa
