#include "nn/cost/plan_search.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace singa {
namespace {

// Bounds on the states of a layer, and on the partial plans of a state.
struct Bounds {
  size_t states, plans;
};
// The first search is quick, and its plan bounds the second one.
constexpr Bounds kQuick = {256, 16}, kThorough = {1 << 12, 1 << 10};

// One layer's cut of a partial plan, and the rest of the plan: an index in Search::links_.
struct PlanLink {
  Cut cut;
  int rest;
};

struct Partial {
  StepClocks clocks;
  int plan = -1;  // index in Search::links_ of its last layer
};

// Partial plans by the cuts of the layers in the frontier.
using States = std::map<std::vector<Cut>, std::vector<Partial>>;

class Search {
 public:
  // `most_bytes`: memory that a worker may use; 0: any, and memory is no aim. Plans that take more
  // than `most_ms` are left out.
  Search(const CostNet& net, int64_t most_bytes, const Bounds& bounds, double most_ms)
      : net_(net), most_bytes_(most_bytes), bounds_(bounds), most_ms_(most_ms) {
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

  PlanFront Run() {
    States states;
    states[{}] = {Partial{}};
    for (int layer = size() - 1; layer >= 0; --layer) states = Continue(states, layer);
    return FrontOf(states);
  }

 private:
  struct Reader {
    int layer, output;
  };

  int size() const { return static_cast<int>(net_.layers.size()); }

  // Returns the clocks of `rest` and the layer, by its fastest cut for each clock, without bridges.
  static StepClocks LeastOf(const CostLayer& layer, const StepClocks& rest) {
    StepClocks least{std::numeric_limits<double>::infinity(),
                     std::numeric_limits<double>::infinity()};
    for (const Cut cut : {Cut::kRows, Cut::kUnits}) {
      if (!layer.Has(cut)) continue;
      const LayerCost& cost = layer.Of(cut);
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
                    clocks.link_ms + rest_[layer].link_ms) > most_ms_;
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
    for (const auto& [cuts, plans] : states)
      for (const Cut cut : {Cut::kRows, Cut::kUnits})
        if (net_.layers[layer].Has(cut)) Extend(cuts, plans, {layer, cut}, kept, &next);
    frontier_ = std::move(after);
    Bound(&next);
    return next;
  }

  struct Choice {
    int layer;
    Cut cut;
  };

  // Adds the partial plans of one state, each with a choice more, to `next`.
  void Extend(const std::vector<Cut>& cuts, const std::vector<Partial>& plans, const Choice& choice,
              const std::vector<size_t>& kept, States* next) {
    std::vector<Need> needs;
    for (const Reader& reader : readers_[choice.layer])
      for (size_t k = 0; k < cuts.size(); ++k)
        if (frontier_[k] == reader.layer)
          needs.push_back({reader.output, NeedOf(net_.layers[reader.layer], cuts[k])});
    const auto behind = BridgesBehind(net_, choice.layer, choice.cut, needs);
    const LayerCost& cost = net_.layers[choice.layer].Of(choice.cut);
    std::vector<Cut> key;
    for (const size_t k : kept) key.push_back(k < cuts.size() ? cuts[k] : choice.cut);
    std::vector<Partial>& there = (*next)[key];
    for (const Partial& plan : plans) {
      const StepClocks clocks = Add(plan.clocks, cost, behind);
      if (most_bytes_ > 0 && clocks.bytes + net_.bytes > most_bytes_) continue;
      if (IsTooSlow(clocks, choice.layer)) continue;
      links_.push_back({choice.cut, plan.plan});
      there.push_back({clocks, static_cast<int>(links_.size()) - 1});
    }
  }

  // Keeps what no other partial plan of the same state beats.
  void Bound(States* states) {
    for (auto& [cuts, plans] : *states) {
      KeepBest(&plans);
      if (plans.size() <= bounds_.plans) continue;
      exact_ = false;
      Thin(&plans);
    }
    while (states->size() > bounds_.states) {
      exact_ = false;
      states->erase(std::max_element(states->begin(), states->end(), [](auto& a, auto& b) {
        return Fastest(a.second) < Fastest(b.second);
      }));
    }
  }

  static double Fastest(const std::vector<Partial>& plans) {
    return plans.empty() ? 1e300 : plans[0].clocks.end_ms();
  }

  bool Beats(const StepClocks& a, const StepClocks& b) const {
    return a.worker_ms <= b.worker_ms && a.link_ms <= b.link_ms &&
           (most_bytes_ == 0 || a.bytes <= b.bytes);
  }

  // Sorts by time, and keeps the plans that no other one beats.
  void KeepBest(std::vector<Partial>* plans) const {
    std::stable_sort(plans->begin(), plans->end(), [](const Partial& a, const Partial& b) {
      return a.clocks.end_ms() < b.clocks.end_ms();
    });
    std::vector<Partial> kept;
    for (const Partial& plan : *plans)
      if (std::none_of(kept.begin(), kept.end(),
                       [&](const Partial& other) { return Beats(other.clocks, plan.clocks); }))
        kept.push_back(plan);
    *plans = std::move(kept);
  }

  // Keeps plans from the fastest to the slowest, which needs least of the link or of memory.
  void Thin(std::vector<Partial>* plans) const {
    std::vector<Partial> kept;
    for (size_t i = 0; i < bounds_.plans; ++i)
      kept.push_back((*plans)[i * (plans->size() - 1) / (bounds_.plans - 1)]);
    *plans = std::move(kept);
  }

  Cuts CutsOf(int plan) const {
    Cuts cuts;
    for (; plan >= 0; plan = links_[plan].rest) cuts.push_back(links_[plan].cut);
    return cuts;  // the last link is the first layer's
  }

  PlanFront FrontOf(const States& states) const {
    PlanFront front;
    front.exact = exact_;
    for (const auto& [cuts, plans] : states)
      for (const Partial& plan : plans)
        if (front.plans.empty() || plan.clocks.bytes + net_.bytes < front.plans.back().bytes)
          front.plans.push_back({CutsOf(plan.plan), plan.clocks.end_ms() + net_.step_ms,
                                 plan.clocks.bytes + net_.bytes});
    return front;
  }

  const CostNet& net_;
  std::vector<std::vector<Reader>> readers_;  // of each layer
  std::vector<int> earliest_;                 // of each layer: its earliest source, or itself
  std::vector<int> frontier_;  // layers so far that have sources yet to come, last layer first
  std::vector<PlanLink> links_;
  const int64_t most_bytes_;
  const Bounds bounds_;
  const double most_ms_;
  std::vector<StepClocks> rest_;  // [i]: the least that the layers before i add to the clocks
  bool exact_ = true;
};

}  // namespace

namespace {

constexpr double kAnyTime = std::numeric_limits<double>::infinity();

// Returns the fastest plan, if it takes at most `most_ms`.
PlanFront FindBest(const CostNet& net, int64_t most_bytes, double most_ms = kAnyTime) {
  constexpr double kRounding = 1 + 1e-12;
  PlanFront quick = Search(net, most_bytes, kQuick, (most_ms - net.step_ms) * kRounding).Run();
  if (quick.exact) return quick;
  if (!quick.plans.empty()) most_ms = quick.plans[0].step_ms;
  return Search(net, most_bytes, kThorough, (most_ms - net.step_ms) * kRounding).Run();
}

}  // namespace

SearchResult SearchPlan(const CostNet& net, int64_t most_bytes) {
  SearchResult result;
  PlanFront best = FindBest(net, 0);
  if (most_bytes > 0 && best.plans[0].bytes > most_bytes) best = FindBest(net, most_bytes);
  result.exact = best.exact;
  if (best.plans.empty()) return result;
  result.best = std::move(best.plans[0]);
  CostNet other = net;
  for (size_t i = 0; i < net.layers.size(); ++i) {
    CostLayer& layer = other.layers[i];
    if (!layer.rows || !layer.units) continue;
    // Find the best plan in which this layer has another cut.
    (result.best->cuts[i] == Cut::kRows ? layer.rows : layer.units).reset();
    const double most_ms = result.runner_up ? result.runner_up->step_ms : kAnyTime;
    PlanFront second = FindBest(other, most_bytes, most_ms);
    layer = net.layers[i];
    result.exact = result.exact && second.exact;
    if (!second.plans.empty()) result.runner_up = std::move(second.plans[0]);
  }
  return result;
}

PlanFront SearchFront(const CostNet& net) {
  return Search(net, std::numeric_limits<int64_t>::max(), kThorough, kAnyTime).Run();
}

}  // namespace singa
