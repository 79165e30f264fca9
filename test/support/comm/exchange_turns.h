// ExpectOwnRegions has workers send each other regions in many turns.
#pragma once

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "comm/exchange/region_exchange.h"

namespace singa {

// Runs each worker in a thread of its own. In each turn a worker sends all others its number, by
// one tag after the other, and expects theirs of the same turn.
inline void ExpectOwnRegions(const std::vector<RegionExchange*>& workers, int tags, int turns) {
  std::vector<std::thread> threads;
  const int count = static_cast<int>(workers.size());
  for (int me = 0; me < count; ++me)
    threads.emplace_back([=, &workers] {
      Context ctx;
      std::vector<float> own(5), got(5);
      for (int turn = 0; turn < turns; ++turn) {
        own.assign(5, static_cast<float>(10 * turn + me));
        const Region region{.data = own.data(), .count = 1, .stride = 5, .run = 5};
        const Region to{.data = got.data(), .count = 1, .stride = 5, .run = 5};
        for (int peer = 0; peer < count; ++peer)
          if (peer != me) workers[me]->Offer(ctx, turn % tags, peer, region);
        for (int peer = 0; peer < count; ++peer) {
          if (peer == me) continue;
          workers[me]->Take(ctx, turn % tags, peer, to, false);
          ASSERT_EQ(got, std::vector<float>(5, static_cast<float>(10 * turn + peer)));
        }
        workers[me]->AwaitTaken(turn % tags);
      }
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace singa
