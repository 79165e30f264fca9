// Tests the layout of the memory by which ranks work together.
#include "comm/collective/memory_board.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>

#include "support/comm/board_memory.h"

namespace singa {
namespace {

constexpr MemoryBoard::Size kWholeBoard = {.ranks = 3, .buffers = 5, .slot_floats = 7};

// Returns first and last byte of each array of the board.
std::vector<std::pair<const char*, const char*>> ArraysOf(const MemoryBoard& board) {
  std::vector<std::pair<const char*, const char*>> arrays;
  const auto add = [&](const auto* first, size_t n) {
    arrays.emplace_back(reinterpret_cast<const char*>(first),
                        reinterpret_cast<const char*>(first + n));
  };
  const auto add_span = [&](const auto& span) { add(span.data(), span.size()); };
  add(board.changed, 1);
  add_span(board.progress);
  add_span(board.chunks);
  add(board.offers, 1);
  for (const auto& counts : {board.arrived, board.taken, board.offered}) add_span(counts);
  add(board.ring, 1);
  for (const auto& counts : {board.parts_here, board.turns_done}) add_span(counts);
  add_span(board.slots);
  return arrays;
}

TEST(MemoryBoardTest, ArraysLieOneAfterTheOtherInItsBytes) {
  const BoardMemory memory(kWholeBoard);
  const char* end = reinterpret_cast<const char*>(memory.data());
  for (const auto& [first, last] : ArraysOf(memory.Map())) {
    EXPECT_GE(first, end);
    EXPECT_GT(last, first);
    end = last;
  }
  EXPECT_LE(end, reinterpret_cast<const char*>(memory.data()) + MemoryBoard::Bytes(kWholeBoard));
}

// Threads that count in one array do not slow down those that count in another.
TEST(MemoryBoardTest, NoTwoArraysShareACacheLine) {
  const BoardMemory memory(kWholeBoard);
  for (const auto& [first, last] : ArraysOf(memory.Map()))
    EXPECT_EQ((first - reinterpret_cast<const char*>(memory.data())) % 64, 0);
}

TEST(MemoryBoardTest, EachRankHasAChunkInEachTurn) {
  const BoardMemory memory(kWholeBoard);
  const MemoryBoard board = memory.Map();
  const auto fill_of = [](int turn, int rank) { return std::byte(10 * turn + rank); };
  for (int turn = 0; turn < MemoryBoard::kTurns; ++turn)
    for (int rank = 0; rank < 3; ++rank)
      std::fill_n(board.chunk(turn, rank), MemoryBoard::kChunkBytes, fill_of(turn, rank));
  for (int turn = 0; turn < MemoryBoard::kTurns; ++turn)
    for (int rank = 0; rank < 3; ++rank) {
      const std::byte* const chunk = board.chunk(turn, rank);
      EXPECT_EQ(chunk[0], fill_of(turn, rank));
      EXPECT_EQ(chunk[MemoryBoard::kChunkBytes - 1], fill_of(turn, rank));
    }
}

TEST(MemoryBoardTest, EachRankHasRoomInEachSlotOfTheRing) {
  const BoardMemory memory(kWholeBoard);
  const MemoryBoard board = memory.Map();
  for (int slot = 0; slot < MemoryBoard::kSlots; ++slot)
    for (int rank = 0; rank < 3; ++rank)
      std::fill_n(board.slot(slot, rank), 7, static_cast<float>(10 * slot + rank));
  for (int slot = 0; slot < MemoryBoard::kSlots; ++slot)
    for (int rank = 0; rank < 3; ++rank)
      for (const int i : {0, 6})
        EXPECT_EQ(board.slot(slot, rank)[i], static_cast<float>(10 * slot + rank));
}

TEST(MemoryBoardTest, ProcessesThatMapItSeeTheSameCounts) {
  const BoardMemory memory(kWholeBoard);
  const MemoryBoard first = memory.Map(), second = memory.Map();
  ++first.arrived[4];
  first.ring->threads = 6;
  EXPECT_EQ(second.arrived[4], 1);
  EXPECT_EQ(second.ring->threads, 6);
}

TEST(MemoryBoardTest, WhatNobodyAskedForTakesNoMemory) {
  const MemoryBoard::Size size = {.ranks = 3};
  const BoardMemory memory(size);
  const MemoryBoard board = memory.Map();
  EXPECT_EQ(board.ring, nullptr);
  EXPECT_TRUE(board.slots.empty());
  EXPECT_TRUE(board.arrived.empty());
  EXPECT_LT(MemoryBoard::Bytes(size), 3 * MemoryBoard::kTurns * MemoryBoard::kChunkBytes + 64 * 10);
}

}  // namespace
}  // namespace singa
