#include "singa/base/error.h"

#include <gtest/gtest.h>

namespace singa {
namespace {

TEST(DataError, WritesControlCharactersOut) {
  EXPECT_STREQ(DataError("a\nb", 3, "is \"\x1b[2J\x7f\"").what(),
               "a\\x0ab: record 3: is \"\\x1b[2J\\x7f\"");
  EXPECT_STREQ(FileError(kExitIo, "caf\xc3\xa9", "no").what(), "caf\xc3\xa9: no");
}

}  // namespace
}  // namespace singa
