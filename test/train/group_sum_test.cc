// Tests numbers that workers of several processes add up.
#include <gtest/gtest.h>

#include <thread>

#include "comm/collective/link_collective.h"
#include "comm/collective/memory_collective.h"
#include "support/comm/memory_links.h"

namespace singa {
namespace {

// This process has two workers in two threads. The workers of the other process come late.
TEST(GroupSumTest, TheTimeThatProcessesTakeIsTimeWaited) {
  MemoryLinks links(2);
  const std::vector<std::vector<SumNode>> nodes = {{{0, 2}}, {{2, 4}}};
  LinkCollective between(links[1], nodes), other(links[0], nodes);
  MemoryGroup group({.ranks = {2, 4}, .group = 4, .here = 2, .between = &between});
  std::vector<std::vector<double>> values = {{1, 10}, {2, 20}};
  std::vector<std::thread> threads;
  for (int worker = 0; worker < 2; ++worker)
    threads.emplace_back([&, worker] {
      MemoryCollective own(&group, worker, nullptr);
      own.AllReduce(std::span(values[worker]));
    });
  while (links.under_way() == 0) std::this_thread::yield();  // worker 0 waits for the other process
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  std::vector<double> theirs = {3, 30};
  other.AllReduce(std::span(theirs));
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<double>& sums : {values[0], values[1], theirs})
    EXPECT_EQ(sums, (std::vector<double>{6, 60}));
  EXPECT_GE(group.TakeWait(), 100'000'000);
  EXPECT_EQ(group.TakeWait(), 0);
}

}  // namespace
}  // namespace singa
