#include "driver/plan/gradient_modes.h"

#include <algorithm>
#include <optional>

#include "base/text/counted.h"
#include "cluster/protocol/sync_plan.h"
#include "comm/collective/link_probe.h"
#include "driver/plan/codec_forms.h"
#include "driver/plan/gpu_forms.h"
#include "driver/plan/rank_forms.h"
#include "nn/cost/step_cost.h"
#include "singa/base/error.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

using Compression = AllReduceProto::Compression;

// Returns the job as one group trains it on `cluster` with the compression. GPUs of several hosts
// add gradients up only if all_reduce is set.
JobProto JobWith(const JobProto& job, const PlanCluster& cluster, Compression compression) {
  JobProto one = job;
  one.clear_gpu();
  for (int i = 0; cluster.on_gpus() && i < cluster.here(); ++i) one.add_gpu(i);
  ClusterProto& conf = *one.mutable_cluster();
  conf.set_nworker_groups(1);
  conf.set_nserver_groups(1);
  conf.set_nworkers_per_group(cluster.workers);
  if (cluster.hosts > 1) conf.set_nworkers_per_procs(cluster.here());
  if (compression != AllReduceProto::kNone || conf.has_all_reduce() || cluster.on_gpus())
    conf.mutable_all_reduce()->set_compression(compression);
  return one;
}

// Returns how the workers of the job add gradients up; none: its backend cannot, or has the hosts
// of GPUs do it.
std::optional<SyncPlan> SyncOf(const JobProto& job, const PlanCluster& cluster) {
  try {
    const SyncPlan plan =
        PlanSync(job, {.one_host = cluster.hosts == 1, .why_mpi = cluster.why_mpi});
    if (cluster.on_gpus() && plan.mode != SyncMode::kAllReduce) return {};
    return plan;
  } catch (const ConfigError&) {
    return {};
  }
}

// Returns the sums of a bucket that ranks exchange one after the other: of both thin matrices, if
// there are any.
int SumsOfBucket(Compression compression) {
  return compression == AllReduceProto::kPowerSGD ? 2 : 1;
}

// Returns the sums that ranks exchange before those of the last bucket. kPartial has one bucket a
// step.
int64_t CountEarlySums(const AllReduceProto& conf, const TrainedShapes& shapes) {
  if (conf.compression() == AllReduceProto::kPartial) return 0;
  return (CountBuckets(conf, shapes) - 1) * SumsOfBucket(conf.compression());
}

// Returns ExchangeForm::latency_ms. Each message of a sum is waited for.
double LatencyMs(int64_t sums, const TrainedShapes& shapes, double link_us) {
  const double mb = 1e-6 * static_cast<double>(shapes.bytes());
  if (mb == 0) return 0;
  return 1e-3 * link_us * kMessagesOfSum * static_cast<double>(sums) / mb;
}

std::string Share(const AllReduceProto& conf) { return StrCat(100 * conf.sparsity(), " %"); }

// GPUs have room for the share of kThreshold, whatever they send.
std::string NameOf(const AllReduceProto& conf, const TrainedShapes& shapes, bool by_gpus) {
  std::string name = AllReduceProto::Compression_Name(conf.compression());
  switch (conf.compression()) {
    case AllReduceProto::kTopK:
      return StrCat(name, ", ", Share(conf));
    case AllReduceProto::kThreshold:
      if (conf.threshold() == 0) return name + ", 100 %";
      return StrCat(name, by_gpus ? ", " : ", if ", Share(conf), by_gpus ? "" : " are sent");
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
  ModeForm mode = {.name = NameOf(conf, shapes, plan.mode == SyncMode::kAllReduce),
                   .way = WayOf(plan),
                   .form = {},
                   .by_rows = conf.compression() == AllReduceProto::kPartial};
  if (plan.mode == SyncMode::kAllReduce) {
    mode.form = GpuForm(conf, cluster, shapes);
    mode.form.last_messages = 0;
    mode.form.latency_ms = LatencyMs(CountGpuSums(conf, shapes), shapes, cluster.link_us);
    mode.by_rows = mode.after_backward = SendsAfterBackward(conf.compression());
    return mode;
  }
  mode.form = FormOf(job, cluster, shapes);
  if (plan.mode != SyncMode::kRankSums) return mode;
  mode.form.updates_all = true;
  mode.form.latency_ms = LatencyMs(CountEarlySums(conf, shapes), shapes, cluster.link_us);
  mode.form.last_messages = CountLastMessages(conf.compression());
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

int CountLastMessages(Compression compression) {
  return kMessagesOfSum * SumsOfBucket(compression);
}

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
  if (!cluster.on_gpus() && job.cluster().sync_freq() > 1)
    modes.push_back(OuterMode(job.cluster(), cluster.hosts));
  return modes;
}

ExchangeForm WholeForm(const JobProto& job, const PlanCluster& cluster,
                       const TrainedShapes& shapes) {
  if (cluster.hosts == 1 || shapes.bytes() == 0) return {};
  PlanCluster timed = cluster;
  timed.untimed_gpus = false;
  const JobProto one = JobWith(job, timed, AllReduceProto::kNone);
  const std::optional<SyncPlan> plan = SyncOf(one, timed);
  if (!plan || plan->mode == SyncMode::kServers) return {};
  return ModeOf(one, *plan, timed, shapes).form;
}

std::string WayOnOneHost(const JobProto& job, const PlanCluster& cluster) {
  const auto plan = SyncOf(JobWith(job, cluster, AllReduceProto::kNone), cluster);
  return plan ? TextOf(*plan) : "";
}

GradientMode Predict(const ModeForm& mode, const JobCosts& costs,
                     const std::vector<PartTimes>& times, const Layouts& layouts) {
  const auto predict = [&](const ExchangeForm& form) {
    const CostNet net = costs.Net(times, form);
    const Layouts by_rows(layouts.size(), LayoutByRows(net.bridges.workers));
    const StepCost cost = CostOfStep(net, mode.by_rows ? by_rows : layouts);
    const double end_ms = costs.EndMs(form);
    GradientMode step = {.step_ms = cost.step_ms,
                         .encode_ms = cost.coding_ms,
                         .exposed_ms = cost.exposed_ms + end_ms,
                         .link_ms = end_ms,
                         .sent_bytes = cost.sent_bytes};
    for (const LayerReport& layer : cost.layers) step.link_ms += layer.transfer_ms;
    if (mode.after_backward) {
      step.step_ms += step.link_ms - step.exposed_ms;
      step.exposed_ms = step.link_ms;
    }
    return step;
  };
  const GradientMode with = predict(mode.form);
  const GradientMode without =
      predict({.gradient = 0, .sum = 0, .last_messages = 0, .updates_all = true});
  const double hidden_ms =
      std::min(mode.overlap * without.step_ms, std::max(0.0, with.exposed_ms - without.exposed_ms));
  const auto mean = [&](auto a, auto b) {
    return static_cast<decltype(a)>(mode.exchanges * a + (1 - mode.exchanges) * b);
  };
  return {.name = mode.name,
          .way = mode.way,
          .step_ms = mean(with.step_ms - hidden_ms, without.step_ms),
          .encode_ms = mean(with.encode_ms, without.encode_ms),
          .exposed_ms = mean(with.exposed_ms - hidden_ms, without.exposed_ms),
          .link_ms = mean(with.link_ms, without.link_ms),
          .sent_bytes = mean(with.sent_bytes, without.sent_bytes)};
}

}  // namespace singa
