#include "nn/cost/bridge_share.h"

#include <algorithm>

namespace singa {
namespace {

// A host's workers get about equally much, so that some of them stand for all.
constexpr int kMostTakers = 16;

// Returns the share of [0, 1) that part `a` of `as` and part `b` of `bs` have in common.
double Common(int a, int as, int b, int bs) {
  const double first = std::max(static_cast<double>(a) / as, static_cast<double>(b) / bs);
  const double last = std::min((a + 1.0) / as, (b + 1.0) / bs);
  return std::max(0.0, last - first);
}

// Returns the share of the feature that worker `a` has in one layout and worker `b` in another.
double Common(const Layout& of_a, int a, const Layout& of_b, int b, int workers) {
  const double rows =
      Common(of_a.RowPart(a, workers), of_a.rows, of_b.RowPart(b, workers), of_b.rows);
  return rows > 0 ? rows * Common(of_a.UnitPart(a), of_a.units, of_b.UnitPart(b), of_b.units) : 0;
}

// Adds up what `region(giver, taker)` says of the first host's workers.
template <typename RegionOf>
TransferShare ShareOf(int workers, int here, const RegionOf& region) {
  TransferShare share;
  const int step = std::max(1, here / kMostTakers);
  for (int taker = 0; taker < here; taker += step) {
    double got = 0, copied = 0;
    for (int giver = 0; giver < workers; ++giver) {
      if (giver == taker) continue;
      const double part = region(giver, taker);
      got += part;
      if (giver < here) copied += part;
    }
    share.got = std::max(share.got, got);
    share.copied = std::max(share.copied, copied);
  }
  for (int giver = 0; giver < here && here < workers; giver += step)
    for (int taker = here; taker < workers; ++taker)
      share.sent += region(giver, taker) * std::min(step, here - giver);
  return share;
}

}  // namespace

const BridgeShare& BridgeShares::Of(const Layout& from, const Need& need) {
  const auto [at, added] = known_.try_emplace({from, need});
  if (!added) return at->second;
  const Bridge bridge{.from = from, .to = need.layout, .sums = need.sums, .workers = workers_};
  at->second.feature = ShareOf(workers_, here_, [&](int giver, int taker) {
    if (!bridge.GivesFeature(giver, taker)) return 0.0;
    return Common(from, giver, need.layout, taker, workers_);
  });
  at->second.gradient = ShareOf(workers_, here_, [&](int giver, int taker) {
    if (!bridge.GivesGradient(giver, taker)) return 0.0;
    return Common(need.layout, giver, from, taker, workers_);
  });
  return at->second;
}

}  // namespace singa
