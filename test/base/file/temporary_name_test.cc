#include "base/file/temporary_name.h"

#include <gtest/gtest.h>

namespace singa {
namespace {

TEST(TemporaryName, HasTheFinalNameInMessages) {
  EXPECT_EQ(FinalName(TemporaryName("ws/out.bin")), "ws/out.bin");
  EXPECT_EQ(FinalName(TemporaryName("ws/step5") + "/model.safetensors"),
            "ws/step5/model.safetensors");
  EXPECT_EQ(FinalName("ws/step5.old.0123456789abcdef"), "ws/step5");
  for (const char* own : {"a.tmp", "a.tmp.0123", "a.old.1", "a.tmp.0123456789abcdefg", ".tmp./b"})
    EXPECT_EQ(FinalName(own), own);
}

}  // namespace
}  // namespace singa
