#include "base/system/caught_error.h"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

namespace singa {
namespace {

template <typename Thrown>
Error Caught(const Thrown& thrown) {
  try {
    throw thrown;
  } catch (...) {
    return CaughtError();
  }
}

TEST(CaughtErrorTest, AnErrorKeepsItsCodeAndText) {
  const Error error = Caught(DataError("file", 3, "is short"));
  EXPECT_EQ(error.code(), kExitBadData);
  EXPECT_STREQ(error.what(), "file: record 3: is short");
}

TEST(CaughtErrorTest, LackOfMemoryIsNoBug) {
  const Error error = Caught(std::bad_alloc());
  EXPECT_EQ(error.code(), kExitNoDevice);
  EXPECT_EQ(std::string(error.what()).substr(0, 13), "out of memory");
}

TEST(CaughtErrorTest, WhatNobodyExpectsIsABug) {
  EXPECT_EQ(Caught(std::logic_error("order")).code(), kExitBug);
  EXPECT_STREQ(Caught(std::logic_error("order")).what(), "order");
  EXPECT_EQ(Caught(1).code(), kExitBug);
}

}  // namespace
}  // namespace singa
