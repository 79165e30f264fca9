#include "base/text/counted.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace singa {
namespace {

TEST(Counted, AgreesWithTheNumber) {
  EXPECT_EQ(Counted(0, "step"), "0 steps");
  EXPECT_EQ(Counted(int64_t{1}, "step"), "1 step");
  EXPECT_EQ(Counted(size_t{2}, "step"), "2 steps");
  EXPECT_EQ(Counted(1, "record is", "records are"), "1 record is");
  EXPECT_EQ(Counted(3, "record is", "records are"), "3 records are");
}

}  // namespace
}  // namespace singa
