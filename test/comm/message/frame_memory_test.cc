#include "comm/message/frame_memory.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

namespace singa::frame_memory {
namespace {

TEST(FrameMemory, GivesTheSameBlockAgainWhenNobodyHasIt) {
  FrameMemory memory;
  const auto first = memory.Take(1000);
  auto second = memory.Take(1000);
  EXPECT_NE(first, second);
  const std::byte* const block = second.get();
  second.reset();
  EXPECT_NE(memory.Take(2000).get(), block) << "a larger block";
  EXPECT_EQ(memory.Take(513).get(), block);
}

TEST(FrameMemory, TakesBackWhatOutlivesIt) {
  std::shared_ptr<std::byte[]> block, none;
  {
    FrameMemory memory;
    block = memory.Take(3);
    none = memory.Take(0);
  }
  block[2] = std::byte{1};
  std::thread([&] { block.reset(); }).join();
  EXPECT_NE(none, nullptr);
}

}  // namespace
}  // namespace singa::frame_memory
