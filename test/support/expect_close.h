// ExpectClose compares numbers with expected ones.
#pragma once

#include <gtest/gtest.h>

#include <vector>

namespace singa {

inline void ExpectClose(const std::vector<float>& found, const std::vector<float>& expected,
                        double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], tolerance) << i;
}

}  // namespace singa
