#include "singa/base/error.h"

#include <gtest/gtest.h>

namespace singa {
namespace {

TEST(DataError, WritesControlCharactersOut) {
  EXPECT_STREQ(DataError("a\nb", 3, "is \"\x1b[2J\x7f\"").what(),
               "a\\x0ab: record 3: is \"\\x1b[2J\\x7f\"");
  EXPECT_STREQ(FileError(kExitIo, "caf\xc3\xa9", "no").what(), "caf\xc3\xa9: no");
  EXPECT_EQ(Printable("\xc2\x9b"
                      "2J\xc2\xa0"),
            "\\xc2\\x9b2J\xc2\xa0");  // U+009b: CSI
}

}  // namespace
}  // namespace singa
