#include "nn/cost/plan_search.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace singa {
namespace {

// Bounds on the states of a layer, on the partial plans of all its states together, and on those of
// one state.
struct Bounds {
  size_t states, plans, of_state;
};
// The first search is quick, and its plan bounds the second one. A front has many plans of a state.
constexpr Bounds kQuick = {256, 1 << 11, 64}, kThorough = {1 << 11, 1 << 14, 512},
                 kFront = {256, 1 << 12, 128};

constexpr double kAnyTime = std::numeric_limits<double>::infinity();

// The plans that a search is for.
struct Aim {
  int wanted = 1;             // the fastest ones
  int64_t most_bytes = 0;     // memory that a worker may use; 0: any, and memory does not count
  double most_ms = kAnyTime;  // plans that take longer are left out
};

// One layer's layout of a partial plan, and the rest of the plan: an index in Search::links_.
struct PlanLink {
  Layout layout;
  int rest;
};

struct Partial {
  StepClocks clocks;
  int plan = -1;  // index in Search::links_ of its last layer
};

// Partial plans by the layouts of the layers in the frontier.
using States = std::map<Layouts, std::vector<Partial>>;

class Search {
 public:
  Search(const CostNet& net, const Aim& aim, const Bounds& bounds)
      : net_(net), aim_(aim), bounds_(bounds), shares_(net.bridges.workers, net.bridges.here) {
    readers_.resize(net.layers.size());
    earliest_.resize(net.layers.size());
    rest_.resize(net.layers.size() + 1);
    for (int i = 0; i < size(); ++i) {
      rest_[i + 1] = LeastOf(net.layers[i], rest_[i]);
      earliest_[i] = i;
      for (const CostRead& read : net.layers[i].reads) {
        readers_[read.source].push_back({i, read.output});
        earliest_[i] = std::min(earliest_[i], read.source);
      }
    }
  }

  // Returns complete plans, the fastest first.
  PlanFront Run() {
    States states;
    states[{}] = {Partial{}};
    for (int layer = size() - 1; layer >= 0; --layer) states = Continue(states, layer);
    PlanFront front;
    for (const auto& [layouts, plans] : states)  // one state: no layer has a source yet to come
      for (const Partial& plan : plans) front.plans.push_back(Found(plan));
    front.exact = exact_;
    return front;
  }

 private:
  struct Reader {
    int layer, output;
  };

  int size() const { return static_cast<int>(net_.layers.size()); }

  // Returns the clocks of `rest` and the layer, by its fastest layout for each clock, without
  // bridges.
  static StepClocks LeastOf(const CostLayer& layer, const StepClocks& rest) {
    StepClocks least{std::numeric_limits<double>::infinity(),
                     std::numeric_limits<double>::infinity()};
    for (const auto& [layout, cost] : layer.costs) {
      least.worker_ms =
          std::min(least.worker_ms, cost.forward_ms + cost.backward_ms + cost.update_ms);
      least.link_ms = std::min(least.link_ms, cost.forward_ms + cost.sent_ms);
    }
    return {rest.worker_ms + least.worker_ms, rest.link_ms + least.link_ms};
  }

  // Returns whether no continuation of a partial plan, whose first layer is `layer`, is fast
  // enough.
  bool IsTooSlow(const StepClocks& clocks, int layer) const {
    return std::max(clocks.worker_ms + rest_[layer].worker_ms,
                    clocks.link_ms + rest_[layer].link_ms) > aim_.most_ms;
  }

  States Continue(const States& states, int layer) {
    States next;
    const std::vector<int> before = frontier_;
    frontier_.push_back(layer);
    std::vector<size_t> kept;  // indices in frontier_ of layers with sources before this one
    std::vector<int> after;
    for (size_t k = 0; k < frontier_.size(); ++k)
      if (earliest_[frontier_[k]] < layer) {
        kept.push_back(k);
        after.push_back(frontier_[k]);
      }
    for (const auto& [layouts, plans] : states)
      for (const auto& [layout, cost] : net_.layers[layer].costs)
        Extend(layouts, plans, {layer, layout, &cost}, kept, &next);
    frontier_ = std::move(after);
    Bound(&next);
    return next;
  }

  struct Choice {
    int layer;
    Layout layout;
    const LayerCost* cost;
  };

  // Adds the partial plans of one state, each with a choice more, to `next`.
  void Extend(const Layouts& layouts, const std::vector<Partial>& plans, const Choice& choice,
              const std::vector<size_t>& kept, States* next) {
    std::vector<ReaderNeed> needs;
    for (const Reader& reader : readers_[choice.layer])
      for (size_t k = 0; k < layouts.size(); ++k)
        if (frontier_[k] == reader.layer)
          needs.push_back({reader.output, NeedOf(layouts[k], net_.layers[reader.layer].reads_all)});
    const auto behind = BridgesBehind(net_, choice.layer, choice.layout, needs, &shares_);
    Layouts key;
    key.reserve(kept.size());
    for (const size_t k : kept) key.push_back(k < layouts.size() ? layouts[k] : choice.layout);
    std::vector<Partial>& there = (*next)[key];
    for (const Partial& plan : plans) {
      const StepClocks clocks = Add(plan.clocks, *choice.cost, behind);
      if (aim_.most_bytes > 0 && clocks.bytes + net_.bytes > aim_.most_bytes) continue;
      if (IsTooSlow(clocks, choice.layer)) continue;
      links_.push_back({choice.layout, plan.plan});
      there.push_back({clocks, static_cast<int>(links_.size()) - 1});
    }
  }

  // Keeps the partial plans that fewer than `wanted` others of the same state beat, within the
  // bounds.
  void Bound(States* states) {
    for (auto& [layouts, plans] : *states) KeepBest(&plans);
    std::erase_if(*states, [](const auto& state) { return state.second.empty(); });
    if (states->size() > bounds_.states) KeepFastest(states);
    const size_t share = bounds_.plans / std::max<size_t>(1, states->size());
    const size_t most = std::clamp<size_t>(share, 2, bounds_.of_state);
    for (auto& [layouts, plans] : *states)
      if (plans.size() > most) Thin(most, &plans);
  }

  // Drops the states whose fastest plans are the slowest.
  void KeepFastest(States* states) {
    exact_ = false;
    std::vector<double> times;
    times.reserve(states->size());
    for (const auto& [layouts, plans] : *states) times.push_back(plans[0].clocks.end_ms());
    const auto last = times.begin() + static_cast<std::ptrdiff_t>(bounds_.states) - 1;
    std::nth_element(times.begin(), last, times.end());
    std::erase_if(*states,
                  [&](const auto& state) { return state.second[0].clocks.end_ms() > *last; });
  }

  bool Beats(const StepClocks& a, const StepClocks& b) const {
    return a.worker_ms <= b.worker_ms && a.link_ms <= b.link_ms &&
           (aim_.most_bytes == 0 || a.bytes <= b.bytes);
  }

  // Sorts by time, and keeps the plans that fewer than `wanted` others beat.
  void KeepBest(std::vector<Partial>* plans) const {
    std::stable_sort(plans->begin(), plans->end(), [](const Partial& a, const Partial& b) {
      return a.clocks.end_ms() < b.clocks.end_ms();
    });
    std::vector<Partial> kept;
    for (const Partial& plan : *plans)
      if (std::count_if(kept.begin(), kept.end(), [&](const Partial& other) {
            return Beats(other.clocks, plan.clocks);
          }) < aim_.wanted)
        kept.push_back(plan);
    *plans = std::move(kept);
  }

  // Keeps `most` plans, from the fastest to the slowest, which needs least of the link or of
  // memory.
  void Thin(size_t most, std::vector<Partial>* plans) {
    exact_ = false;
    const size_t gaps = std::max<size_t>(1, most - 1);
    std::vector<Partial> kept;
    kept.reserve(most);
    for (size_t i = 0; i < most; ++i) kept.push_back((*plans)[i * (plans->size() - 1) / gaps]);
    *plans = std::move(kept);
  }

  Layouts LayoutsOf(int plan) const {
    Layouts layouts;
    for (; plan >= 0; plan = links_[plan].rest) layouts.push_back(links_[plan].layout);
    return layouts;  // the last link is the first layer's
  }

  FoundPlan Found(const Partial& plan) const {
    return {LayoutsOf(plan.plan), plan.clocks.end_ms() + net_.step_ms,
            plan.clocks.bytes + net_.bytes};
  }

  const CostNet& net_;
  std::vector<std::vector<Reader>> readers_;  // of each layer
  std::vector<int> earliest_;                 // of each layer: its earliest source, or itself
  std::vector<int> frontier_;  // layers so far that have sources yet to come, last layer first
  std::vector<PlanLink> links_;
  const Aim aim_;
  const Bounds bounds_;
  BridgeShares shares_;
  std::vector<StepClocks> rest_;  // [i]: the least that the layers before i add to the clocks
  bool exact_ = true;
};

// Returns the two fastest plans, as far as there are so many.
PlanFront FindBest(const CostNet& net, int64_t most_bytes) {
  constexpr double kRounding = 1 + 1e-12;
  Aim aim{.wanted = 2, .most_bytes = most_bytes};
  PlanFront quick = Search(net, aim, kQuick).Run();
  if (quick.exact) return quick;
  if (quick.plans.size() > 1) aim.most_ms = (quick.plans[1].step_ms - net.step_ms) * kRounding;
  return Search(net, aim, kThorough).Run();
}

}  // namespace

SearchResult SearchPlan(const CostNet& net, int64_t most_bytes) {
  SearchResult result;
  PlanFront best = FindBest(net, 0);
  const auto too_large = [&](const FoundPlan& plan) { return plan.bytes > most_bytes; };
  if (most_bytes > 0 && std::ranges::any_of(best.plans, too_large))
    best = FindBest(net, most_bytes);
  result.exact = best.exact;
  if (!best.plans.empty()) result.best = std::move(best.plans[0]);
  if (best.plans.size() > 1) result.runner_up = std::move(best.plans[1]);
  return result;
}

PlanFront SearchFront(const CostNet& net) {
  PlanFront all = Search(net, {.most_bytes = std::numeric_limits<int64_t>::max()}, kFront).Run();
  PlanFront front;
  front.exact = all.exact;
  for (FoundPlan& plan : all.plans)
    if (front.plans.empty() || plan.bytes < front.plans.back().bytes)
      front.plans.push_back(std::move(plan));
  return front;
}

}  // namespace singa
