#include "driver/plan/job_plans.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/text/formatted.h"
#include "driver/plan/fitting_plan.h"
#include "driver/plan/part_memory.h"
#include "driver/plan/part_trainer.h"
#include "driver/timing/measure_ms.h"
#include "nn/cost/plan_search.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

// Counts the memory of the worker that needs most, with its share of the params and states that the
// workers of a host have together. Each GPU has them for itself.
int64_t CountWorker(const JobProto& job, const PlanCluster& cluster) {
  WorkerPlace place = cluster.PlaceOf(0);
  place.here = cluster.gpus ? 1 : cluster.here();
  const PartMemory first = MemoryOf(PartTrainer(job, place).trainer());
  int64_t own = first.own;
  if (cluster.workers > 1) {
    // Where parts differ in size, the last worker has the larger ones (PartOf).
    place.worker = cluster.workers - 1;
    place.first = cluster.workers - place.here;
    own = std::max(own, MemoryOf(PartTrainer(job, place).trainer()).own);
  }
  return own + first.shared / place.here;
}

// The exact memory of a worker for each division, counted once.
class PlanMemory {
 public:
  PlanMemory(const JobProto& job, const PlanCluster& cluster) : job_(job), cluster_(cluster) {}

  int64_t Of(const Division& division) {
    const auto [at, added] = known_.try_emplace(division, 0);
    if (added) at->second = CountWorker(JobOf(job_, cluster_, division), cluster_);
    return at->second;
  }

 private:
  const JobProto& job_;
  const PlanCluster& cluster_;
  std::map<Division, int64_t> known_;
};

Division DivisionOf(const CostNet& net, const Layouts& layouts, const Layout& by_rows) {
  Division division;
  for (size_t i = 0; i < layouts.size(); ++i)
    if (layouts[i] != by_rows) division[net.layers[i].name] = layouts[i];
  return division;
}

// Returns the layouts of a job as it is divided, or, with kAuto, will be.
Layouts LayoutsOfJob(const JobPlans& plans) {
  const JobPlan* const own = plans.Find("own");
  const Division& division = (own ? *own : plans.found()).division;
  Layouts layouts;
  for (const CostLayer& layer : plans.net.layers)
    layouts.push_back(LayoutIn(division, layer.name, plans.cluster.workers));
  return layouts;
}

class Planner {
 public:
  Planner(const JobProto& job, PlanMemory* memory, JobPlans* plans)
      : job_(job), memory_(*memory), plans_(*plans), net_(plans->net) {}

  void Add(const std::string& name, const std::string& brief, const Layouts& layouts) {
    JobPlan plan;
    plan.name = name;
    plan.brief = brief;
    plan.division = DivisionOf(net_, layouts, by_rows_);
    plan.cost = CostOfStep(net_, layouts);
    plan.memory = memory_.Of(plan.division);
    plans_.plans.push_back(std::move(plan));
  }

  Layouts Data() const { return Layouts(net_.layers.size(), by_rows_); }

  Layouts Units() const {
    Layouts layouts = Data();
    for (size_t i = 0; i < layouts.size(); ++i)
      if (net_.layers[i].Has(by_units_)) layouts[i] = by_units_;
    return layouts;
  }

  // Dense layers by units, and the layers that read them unit by unit; all others by rows.
  // Source: Krizhevsky, One weird trick for parallelizing convolutional neural networks,
  // arXiv:1404.5997.
  Layouts Hybrid() const {
    Layouts layouts = Data();
    for (size_t i = 0; i < layouts.size(); ++i) {
      const CostLayer& layer = net_.layers[i];
      if (!layer.Has(by_units_)) continue;
      const bool after_units = std::ranges::all_of(
          layer.reads, [&](const CostRead& read) { return layouts[read.source] == by_units_; });
      if (layer.dense || (!layer.reads_all && after_units)) layouts[i] = by_units_;
    }
    return layouts;
  }

  // Adds the plan of the conf's own division, or says why it has none. With kAuto it has no effect.
  void AddOwn() {
    if (job_.neuralnet().partition() == NetProto::kAuto) return;
    const std::optional<Division> own = DivisionOf(job_.neuralnet(), plans_.cluster);
    if (!own)
      return plans_.AddNote(StrCat("\"own\" is left out: ", plans_.cluster.workers,
                                   " workers cannot divide the layers as the job says"));
    Layouts layouts = Data();
    for (size_t i = 0; i < layouts.size(); ++i) {
      const auto at = own->find(net_.layers[i].name);
      if (at == own->end()) continue;
      if (!net_.layers[i].Has(at->second))
        return plans_.AddNote(
            StrCat("\"own\" is left out: layer \"", Printable(net_.layers[i].name),
                   "\" shares a param with another one, and is measured by rows only"));
      layouts[i] = at->second;
    }
    Add("own", "the conf's own division", layouts);
  }

 private:
  const JobProto& job_;
  PlanMemory& memory_;
  JobPlans& plans_;
  const CostNet& net_;
  const Layout by_rows_ = LayoutByRows(plans_.cluster.workers),
               by_units_ = LayoutByUnits(plans_.cluster.workers);
};

std::string Percent(double share) { return Formatted(100 * share, "%.1f %%"); }

// Returns the times of the requests of `costs`. Adds those of one worker that trains alone to the
// plans.
std::vector<PartTimes> TimesOf(const JobProto& job, const JobCosts& costs, const SyncRates& rates,
                               PartTimer* timer, JobPlans* plans) {
  const JobCosts of_one(job, plans->cluster.Alone(), rates);
  std::vector<PartRequest> requests = costs.requests();
  requests.push_back(of_one.requests()[0]);
  std::vector<PartTimes> times = timer->Of(requests);
  const CostNet one = of_one.Net({times.back()});
  plans->one_worker_ms = CostOfStep(one, Layouts(one.layers.size(), kWholeLayout)).step_ms;
  plans->source = timer->source();
  plans->error = timer->model_error();
  for (const PartTimes& part : times) plans->spread = std::max(plans->spread, part.spread);
  plans->others = times.back().others;
  times.pop_back();
  return times;
}

// Returns the memory of a worker besides the layers', from that of data parallelism.
int64_t RestOf(const CostNet& net, const PlanCluster& cluster, PlanMemory* memory) {
  int64_t bytes = memory->Of({});
  for (const CostLayer& layer : net.layers) bytes -= layer.Of(LayoutByRows(cluster.workers)).bytes;
  return bytes;
}

// Searches for the fastest plan that fits by its exact memory. Sets the front and search_ms.
SearchResult SearchThatFits(int64_t most_bytes, PlanMemory* memory, JobPlans* plans) {
  SearchResult search;
  plans->search_ms = MeasureMs([&] { search = SearchPlan(plans->net, most_bytes); });
  plans->front = SearchFront(plans->net);
  if (most_bytes == 0) return search;
  const Layout by_rows = LayoutByRows(plans->cluster.workers);
  SearchResult fitting = FittingPlan(
      search, plans->net, plans->front, most_bytes,
      [&](const Layouts& layouts) { return memory->Of(DivisionOf(plans->net, layouts, by_rows)); });
  if (search.best && fitting.best && fitting.best->step_ms > search.best->step_ms)
    plans->AddNote("a faster plan needs more memory than a worker may use");
  return fitting;
}

// Returns the division to train with: the best one, or data parallelism if that fits into memory
// and the gain is small.
Layouts Choose(const SearchResult& search, int64_t most_bytes, JobPlans* plans) {
  Layouts by_rows(plans->net.layers.size(), LayoutByRows(plans->cluster.workers));
  if (!search.best) {
    plans->fits = false;
    plans->AddNote("no plan fits into the memory of a worker");
    return by_rows;
  }
  const StepCost data = CostOfStep(plans->net, by_rows);
  const double gain = 1 - search.best->step_ms / data.step_ms;
  const bool fits = most_bytes == 0 || data.bytes <= most_bytes;
  if (gain > plans->uncertainty() || !fits) return search.best->layouts;
  const bool model = plans->error.relative >= plans->spread;
  if (gain > 0)
    plans->AddNote(StrCat("data parallelism is kept: the fastest plan gains ", Percent(gain),
                          ", less than the ", model ? "model's error" : "spread of measurements",
                          " of ", Percent(plans->uncertainty())));
  return by_rows;
}

}  // namespace

void JobPlans::AddNote(const std::string& text) { note += (note.empty() ? "" : "; ") + text; }

const JobPlan* JobPlans::Find(const std::string& name) const {
  const auto at = std::ranges::find(plans, name, &JobPlan::name);
  return at == plans.end() ? nullptr : &*at;
}

JobPlans PlanJob(const JobProto& job, const PlanCluster& cluster, const SyncRates& rates,
                 int64_t most_bytes, PartTimer* timer) {
  JobPlans plans;
  plans.cluster = cluster;
  PlanMemory memory(job, plans.cluster);
  const JobCosts costs(job, cluster, rates);
  const std::vector<PartTimes> times = TimesOf(job, costs, rates, timer, &plans);
  plans.net = costs.Net(times, WholeForm(job, cluster, costs.trained()));
  plans.net.bytes = RestOf(plans.net, cluster, &memory);
  const SearchResult search = SearchThatFits(most_bytes, &memory, &plans);
  plans.exact = search.exact;
  plans.grids_left_out = GridsLeftOut(job.neuralnet(), cluster.workers);
  const Layouts chosen = Choose(search, most_bytes, &plans);
  Planner planner(job, &memory, &plans);
  const bool kept = search.best && chosen != search.best->layouts;
  planner.Add("found", kept ? "data parallelism, which is kept" : "the plan found", chosen);
  planner.Add("data", "data parallel: all layers by rows", planner.Data());
  planner.AddOwn();
  planner.Add("units", "all layers by units that have some", planner.Units());
  planner.Add("hybrid", "inner products by units, the rest by rows", planner.Hybrid());
  const std::optional<FoundPlan>& other = kept ? search.best : search.runner_up;
  if (other)
    planner.Add("runner_up", kept ? "the fastest plan" : "the best other plan", other->layouts);
  if (cluster.hosts > 1)
    for (const ModeForm& mode : ModesOf(job, cluster, costs.trained()))
      plans.modes.push_back(Predict(mode, costs, times, LayoutsOfJob(plans)));
  if (cluster.hosts == 1 && cluster.workers > 1 && !cluster.on_gpus())
    plans.way = WayOnOneHost(job, cluster);
  return plans;
}

}  // namespace singa
