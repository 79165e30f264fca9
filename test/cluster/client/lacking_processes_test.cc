// Tests how processes tell each other which of them lack a finite loss or gradient.
#include "cluster/client/lacking_processes.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

#include "support/comm/memory_links.h"

namespace singa::lacking_processes {
namespace {

// Returns what each of three processes hears if those in `lacking` lack one. The group's first
// process is process 4.
std::set<std::string> Heard(const std::set<int>& lacking) {
  constexpr int kProcesses = 3;
  MemoryLinks links(kProcesses);
  std::vector<std::vector<SumNode>> nodes;
  for (int rank = 0; rank < kProcesses; ++rank) nodes.push_back({{rank, rank + 1}});
  std::vector<std::string> texts(kProcesses);
  {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < kProcesses; ++rank)
      threads.emplace_back([&, rank] {
        LinkCollective between(links[rank], nodes);
        texts[rank] = AskWhoLacks(&between, lacking.contains(rank)).Text(4);
      });
  }
  return {texts.begin(), texts.end()};
}

TEST(LackingProcessesTest, AllHearWhichOneItIs) {
  EXPECT_EQ(Heard({}), std::set<std::string>{""});
  EXPECT_EQ(Heard({0}), std::set<std::string>{", in process 4"});
  EXPECT_EQ(Heard({2}), std::set<std::string>{", in process 6"});
  EXPECT_EQ(Heard({1, 2}), std::set<std::string>{", in 2 processes"});
}

}  // namespace
}  // namespace singa::lacking_processes
