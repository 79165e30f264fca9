// Tests which launcher's end also ends a process.
#include "driver/launch/launcher_end.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace singa {
namespace {

TEST(LauncherEndTest, TheLauncherIsWhoeverHasNotItsVariables) {
  EXPECT_EQ(AncestorWithout("A_VARIABLE_THAT_NOBODY_HAS", getpid()), getppid());
}

}  // namespace
}  // namespace singa
