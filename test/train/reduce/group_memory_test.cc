// Tests memory that the processes of a group share.
#include "train/reduce/group_memory.h"

#include <gtest/gtest.h>

#include "singa/tensor/tensor.h"

namespace singa {
namespace {

// Bits of a product may depend on the cuts between its rows.
TEST(GroupMemoryTest, ItsMakerSaysForHowManyThreadsPiecesAreCut) {
  const SliceTable table({{40, 60}, {7}});
  Tensor bytes = Tensor::Allocate({GroupMemory(table, 2, 1, nullptr, 0).bytes()}, DType::kU8);
  const GroupMemory makers(table, 2, 1, bytes.as<std::byte>(), 3);
  const GroupMemory others(table, 2, 1, bytes.as<std::byte>(), 0);
  EXPECT_EQ(others.board().ring->threads, 3);
  EXPECT_EQ(makers.board().ring->threads, 3);
}

}  // namespace
}  // namespace singa
