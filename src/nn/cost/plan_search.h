// PlanSearch finds how the workers should divide each layer of a net, so that a step of the cost
// model (step_cost.h) takes least time. It is exact: no other plan is faster under the model,
// unless the net has too many partial plans to keep (SearchResult::exact).
//
// It goes through the layers in reverse, as the backward pass does. A partial plan has a layout
// for each layer so far. Two partial plans with the same layouts of those layers whose sources are
// yet to come can be continued in the same ways. The search keeps one of these unless another one
// is as good in time, in time of the link and in memory. When it looks for the two fastest plans,
// it drops one only if two others are as good.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "nn/cost/cost_net.h"
#include "nn/cost/step_cost.h"

namespace singa {

struct FoundPlan {
  Layouts layouts;
  double step_ms = 0;
  int64_t bytes = 0;  // memory of a worker
};

struct SearchResult {
  std::optional<FoundPlan> best;       // none: every plan needs more memory than allowed
  std::optional<FoundPlan> runner_up;  // the fastest other plan; none: there is one plan alone
  bool exact = true;  // false: the net has too many partial plans, and some were dropped
};

// `most_bytes`: memory that a worker may use; 0: any.
SearchResult SearchPlan(const CostNet& net, int64_t most_bytes = 0);

struct PlanFront {
  std::vector<FoundPlan> plans;
  bool exact = true;
};

// Returns the plans that no other one beats both in time and in memory, the fastest first.
PlanFront SearchFront(const CostNet& net);

}  // namespace singa
