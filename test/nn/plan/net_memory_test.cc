// Tests how the needs of several nets add up, and which arena is large enough.
// too_little_memory_test tests the errors.
#include "nn/plan/net_memory.h"

#include <gtest/gtest.h>

#include "singa/tensor/stream.h"
#include "support/prompt_gpu.h"

namespace singa {
namespace net_memory_test {

NetMemory Needs(int64_t arena, int64_t host_arena) {
  NetMemory memory;
  memory.arena = arena;
  memory.host_arena = host_arena;
  return memory;
}

TEST(NetMemory, NetsThatShareAnArenaNeedTheLargerOneOfEachSide) {
  NetMemory both = Needs(100, 30);
  both.ShareArena(Needs(70, 40));
  EXPECT_EQ(both.arena, 100);
  EXPECT_EQ(both.host_arena, 40);
}

TEST(NetMemory, WhatIsKeptForeverAddsUp) {
  NetMemory both, other;
  both.forever = 5, both.host_forever = 2;
  other.forever = 7, other.host_forever = 1;
  both.ShareArena(other);
  EXPECT_EQ(both.forever, 12);
  EXPECT_EQ(both.host_forever, 3);
}

TEST(NetArena, OnTheHostHasNoPinnedMemory) {
  const NetArena arena = NetArena::Allocate(Context(), Needs(96, 0));
  EXPECT_EQ(arena.main.bytes(), 96);
  EXPECT_EQ(arena.host.bytes(), 0);
}

TEST(NetArena, FitsANetThatNeedsNoMoreOnEitherSide) {
  PromptGpu gpu;
  const std::unique_ptr<Stream> stream = gpu.NewStream();
  Context ctx;
  ctx.stream = stream.get();
  const NetArena arena = NetArena::Allocate(ctx, Needs(96, 32));
  EXPECT_TRUE(arena.Fits(Needs(96, 32)));
  EXPECT_FALSE(arena.Fits(Needs(97, 32)));
  EXPECT_FALSE(arena.Fits(Needs(96, 33)));
}

}  // namespace net_memory_test
}  // namespace singa
