#include "comm/collective/link_probe.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <vector>

#include "comm/collective/link_collective.h"
#include "comm/collective/link_tags.h"
#include "comm/collective/offset_link.h"

namespace singa {
namespace {

constexpr int64_t kRingTags = int64_t{1} << 40;  // after those of the sums

// Returns the median time of `work`, which all ranks begin together.
double MedianMs(LinkCollective* collective, const std::function<void()>& work) {
  constexpr int kTimes = 3;
  std::array<double, kTimes> ms;
  for (double& each : ms) {
    collective->Barrier();
    const auto start = std::chrono::steady_clock::now();
    work();
    each =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  }
  std::ranges::sort(ms);
  return ms[kTimes / 2];
}

// Sends messages round the ranks. Each rank waits for one before it sends the next.
void SendRound(RankLink* link, int64_t first_tag) {
  const int next = (link->rank() + 1) % link->size();
  const int before = (link->rank() + link->size() - 1) % link->size();
  std::array<std::byte, sizeof(float)> number{};
  for (int64_t tag = first_tag; tag < first_tag + kMessagesOfSum; ++tag) {
    link->Send(next, tag, number);
    link->Receive(before, tag, number);
  }
}

}  // namespace

SumTimes MeasureSum(RankLink* link, int64_t floats) {
  constexpr int64_t kMost = 1 << 20;  // floats
  if (floats == 0 || link->size() == 1) return {};
  OffsetLink own(link, kProbeTags);
  LinkCollective collective(&own, LinkCollective::OneNodeEach(link->size()));
  const int64_t sent = std::min(floats, kMost);
  std::vector<float> zeros(sent);
  int64_t tag = kRingTags;
  const double messages = MedianMs(&collective, [&] {
    SendRound(&own, tag);
    tag += kMessagesOfSum;
  });
  const double whole = MedianMs(&collective, [&] { collective.AllReduce(zeros); });
  link->AwaitSent();
  const double scale = static_cast<double>(floats) / static_cast<double>(sent);
  return {.message_ms = messages / kMessagesOfSum,
          .ms = messages + std::max(0.0, whole - messages) * scale};
}

}  // namespace singa
