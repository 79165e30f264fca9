#include "singa/cluster/consistency.h"

#include <algorithm>

#include "base/text/edit_distance.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// Stale synchronous parallel: Ho et al., "More Effective Distributed ML via a Stale Synchronous
// Parallel Parameter Server" (NIPS 2013). Without a bound it is Downpour or Hogwild.
class BoundedStaleness final : public Consistency {
 public:
  void Setup(const ClusterProto& conf) override { most_ = conf.max_staleness(); }
  bool MayAnswer(std::span<const GroupClock> clocks, int group) const override {
    if (most_ == 0) return true;
    int64_t slowest = clocks[group].step;
    for (const GroupClock& clock : clocks) slowest = std::min(slowest, clock.step);
    return clocks[group].step - slowest <= most_;
  }

 private:
  int64_t most_ = 0;
};
SINGA_REGISTER_CONSISTENCY(kBoundedStaleness, BoundedStaleness);

// All groups take step n together. Updates are applied in the order of the groups, so that every
// run has the same bits, and answered when the last group's is applied.
class Synchronous final : public Consistency {
 public:
  bool MayApply(std::span<const GroupClock> clocks, int group) const override {
    const int64_t step = clocks[group].step;
    for (int g = 0; g < static_cast<int>(clocks.size()); ++g)
      if (clocks[g].step < (g < group ? step + 1 : step)) return false;
    return true;
  }
  bool MayAnswer(std::span<const GroupClock> clocks, int group) const override {
    return std::all_of(clocks.begin(), clocks.end(),
                       [&](const GroupClock& clock) { return clock.step >= clocks[group].step; });
  }
};
SINGA_REGISTER_CONSISTENCY(kSynchronous, Synchronous);

}  // namespace

bool Consistency::MayApply(std::span<const GroupClock>, int) const { return true; }
bool Consistency::MayAnswer(std::span<const GroupClock>, int) const { return true; }

ConsistencyRegistry& Consistencies() {
  static ConsistencyRegistry registry("consistency");
  return registry;
}

std::unique_ptr<Consistency> MakeConsistency(const ClusterProto& conf) {
  if (!conf.has_user_consistency()) return std::make_unique<Consistency>();
  const std::string& name = conf.user_consistency();
  std::unique_ptr<Consistency> made = Consistencies().Make(name);
  if (!made)
    throw ConfigError("user_consistency", StrCat("nothing is registered as \"", name, "\"",
                                                 DidYouMean(name, Consistencies().Names())));
  made->Setup(conf);
  return made;
}

}  // namespace singa
