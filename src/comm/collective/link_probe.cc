#include "comm/collective/link_probe.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "comm/collective/link_collective.h"
#include "comm/collective/link_tags.h"
#include "comm/collective/offset_link.h"

namespace singa {

double MsOfSum(RankLink* link, int64_t floats) {
  constexpr int64_t kMost = 1 << 20;  // floats
  if (floats == 0) return 0;
  const int64_t sent = std::min(floats, kMost);
  OffsetLink own(link, kProbeTags);
  LinkCollective collective(&own, LinkCollective::OneNodeEach(link->size()));
  std::vector<float> zeros(sent);
  collective.Barrier();  // the time begins when all are here
  const auto start = std::chrono::steady_clock::now();
  collective.AllReduce(zeros);
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  return time.count() * static_cast<double>(floats) / static_cast<double>(sent);
}

}  // namespace singa
