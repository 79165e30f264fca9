#include "comm/collective/link_probe.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <vector>

#include "comm/collective/link_collective.h"
#include "comm/collective/link_tags.h"
#include "comm/collective/offset_link.h"

namespace singa {
namespace {

double MsOfOne(LinkCollective* collective, std::vector<float>* zeros) {
  collective->Barrier();  // the time begins when all are here
  const auto start = std::chrono::steady_clock::now();
  collective->AllReduce(*zeros);
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

}  // namespace

SumTimes MeasureSum(RankLink* link, int64_t floats) {
  constexpr int64_t kMost = 1 << 20;  // floats
  constexpr int kTimes = 3;           // the median of so many counts
  if (floats == 0) return {};
  OffsetLink own(link, kProbeTags);
  LinkCollective collective(&own, LinkCollective::OneNodeEach(link->size()));
  const auto median_of = [&](int64_t count) {
    std::vector<float> zeros(count);
    std::array<double, kTimes> ms;
    for (double& each : ms) each = MsOfOne(&collective, &zeros);
    std::ranges::sort(ms);
    return ms[kTimes / 2];
  };
  const int64_t sent = std::min(floats, kMost);
  const double latency = median_of(1), whole = std::max(latency, median_of(sent));
  link->AwaitSent();
  const double scale = static_cast<double>(floats) / static_cast<double>(sent);
  return {.latency_ms = latency, .ms = latency + (whole - latency) * scale};
}

}  // namespace singa
