// Tests a process's part of a group of ranks that share memory. memory_collective_test.cc tests
// what ranks do together in it.
#include "comm/collective/memory_group.h"

#include <gtest/gtest.h>

#include <chrono>

#include "singa/base/error.h"
#include "support/comm/board_memory.h"

namespace singa {
namespace {

TEST(MemoryGroupTest, HasTheNodesOfTheRanksThatShareMemory) {
  const MemoryGroup group({.ranks = {1, 5}, .group = 6, .here = 4});
  EXPECT_EQ(group.nodes(), (std::vector<SumNode>{{1, 2}, {2, 4}, {4, 5}}));
  EXPECT_EQ(group.first(), 1);
  EXPECT_EQ(group.size(), 4);
  EXPECT_EQ(group.whole(), 6);
}

TEST(MemoryGroupTest, RanksOfOneProcessShareItsOwnMemory) {
  const MemoryGroup group({.ranks = {0, 3}, .group = 3, .here = 3, .buffers = 5});
  EXPECT_FALSE(group.spans_processes());
  EXPECT_EQ(group.board().progress.size(), 3u);
  EXPECT_EQ(group.board().arrived.size(), 5u);
}

TEST(MemoryGroupTest, ProcessesUseTheMemoryThatTheyShare) {
  const BoardMemory memory({.ranks = 3});
  const MemoryBoard board = memory.Map();
  const MemoryGroup group({.ranks = {0, 3}, .group = 3, .here = 1, .shared = &board});
  EXPECT_TRUE(group.spans_processes());
  EXPECT_EQ(&group.board(), &board);
}

// Bits of a product may depend on the cuts between its rows.
TEST(MemoryGroupTest, PiecesAreCutForTheThreadsThatTheMakerOfTheMemoryNamed) {
  const BoardMemory memory({.ranks = 2, .slot_floats = 4});
  const MemoryBoard board = memory.Map();
  board.ring->threads = 3;
  const MemoryGroup shared({.ranks = {0, 2}, .group = 2, .here = 1, .shared = &board});
  EXPECT_EQ(shared.CutThreads(8), 3);
  const MemoryGroup own({.ranks = {0, 2}, .group = 2, .here = 2});
  EXPECT_EQ(own.CutThreads(8), 8);
}

TEST(MemoryGroupTest, TheRankThatWroteLeastIsLate) {
  const MemoryGroup group({.ranks = {0, 3}, .group = 3, .here = 3});
  const auto& progress = group.board().progress;
  progress[0].written = 7;
  progress[1].written = 4;
  progress[1].parts = 1;
  progress[2].parts = 6;
  EXPECT_EQ(group.LateRank(), 1);
}

TEST(MemoryGroupTest, AStallTellsTheTimeAndBothWorkers) {
  const ProgressDeadline deadline(std::chrono::seconds(90));
  const MemoryGroup group({.ranks = {4, 6}, .group = 8, .here = 2, .deadline = &deadline});
  try {
    group.ThrowStalled(0, 1);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), kExitStalled);
    EXPECT_STREQ(error.what(),
                 "worker 5 of the group stands still: no progress for 90 s, while worker 4 "
                 "waits for it");
  }
}

TEST(MemoryGroupTest, AStopIsThatOfOneProcess) {
  const BoardMemory memory({.ranks = 2});
  const MemoryBoard board = memory.Map();
  MemoryGroup first({.ranks = {0, 2}, .group = 2, .here = 1, .shared = &board});
  const MemoryGroup second({.ranks = {0, 2}, .group = 2, .here = 1, .shared = &board});
  first.Stop();
  EXPECT_TRUE(first.stopped());
  EXPECT_FALSE(second.stopped());
}

TEST(MemoryGroupTest, ANodeNeedsSlotsForItsDepthAndTheNodesBeforeIt) {
  const auto slots = [](SumNode ranks, int group) {
    return PieceSlots(SumTree(group).NodesOf(ranks));
  };
  EXPECT_EQ(slots({0, 1}, 1), 1);
  EXPECT_EQ(slots({0, 4}, 4), 3);
  EXPECT_EQ(slots({0, 5}, 5), 4);
  EXPECT_EQ(slots({1, 4}, 4), 3) << "{1} fills one slot, and {2, 3} adds up in two more";
  EXPECT_EQ(PieceSlots({}), 0);
}

}  // namespace
}  // namespace singa
