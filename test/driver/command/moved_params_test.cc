#include "driver/command/moved_params.h"

#include <gtest/gtest.h>

namespace singa {
namespace {

TEST(MovedParamsTest, AnEmptyMatrixOfManyRowsIsTransposedAtOnce) {
  constexpr int64_t kRows = int64_t{1} << 60;
  const float* const none = nullptr;
  MovedParams mover("", {});
  const StoredTensor turned = mover.Transposed(Stored("a", {kRows, 0}, none));
  EXPECT_EQ(turned.shape, Shape({0, kRows}));
}

}  // namespace
}  // namespace singa
