#include "driver/plan/fitting_plan.h"

#include <algorithm>
#include <utility>

#include "nn/cost/step_cost.h"

namespace singa {

SearchResult FittingPlan(SearchResult search, const CostNet& net, const PlanFront& front,
                         int64_t most_bytes,
                         const std::function<int64_t(const Layouts&)>& bytes_of) {
  const auto fits = [&](const FoundPlan& plan) { return bytes_of(plan.layouts) <= most_bytes; };
  if (search.best && fits(*search.best)) return search;
  if (search.runner_up && fits(*search.runner_up)) {
    search.best = std::exchange(search.runner_up, std::nullopt);
    return search;
  }
  // The plans of the front need less and less memory.
  SearchResult fitting;
  fitting.exact = false;
  const auto first =
      std::ranges::partition_point(front.plans, [&](const FoundPlan& plan) { return !fits(plan); });
  if (first != front.plans.end()) fitting.best = *first;
  const Layouts by_rows(net.layers.size(), LayoutByRows(net.bridges.workers));
  const StepCost data = CostOfStep(net, by_rows);
  if (fitting.best && fitting.best->step_ms <= data.step_ms) return fitting;
  if (const FoundPlan plan{by_rows, data.step_ms, data.bytes}; fits(plan)) {
    fitting.runner_up = std::exchange(fitting.best, plan);
  }
  return fitting;
}

}  // namespace singa
