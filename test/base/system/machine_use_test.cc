#include "base/system/machine_use.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "io/temp_dir.h"

namespace singa::machine_use {
namespace {

std::optional<MachineUse> UseOf(const std::string& text) {
  TempDir root;
  std::filesystem::create_directories(root.Path("proc"));
  root.Write("proc/stat", text);
  return ReadMachineUse(root.path());
}

TEST(MachineUseTest, CountsCoresAndTheirTimes) {
  const auto use = UseOf("cpu  100 20 30 400 50 6 7 8 9 9\ncpu0 1 2\ncpu1 1 2\nintr 5\n");
  ASSERT_TRUE(use);
  EXPECT_EQ(use->cores, 2);
  EXPECT_DOUBLE_EQ(use->busy / use->idle, 171. / 450);
}

TEST(MachineUseTest, AFileThatSaysNothingHasNoUse) {
  for (const char* text :
       {"", "cpu\n", "cpu  x\ncpu0 1\n", "cpu  1 2 3 4 5 6 7 8\nintr 5\n", "intr 5\n"})
    EXPECT_FALSE(UseOf(text)) << text;
}

TEST(MachineUseTest, TimeThatIsNotTheProcesssOwnIsOfOthers) {
  const MachineUse before{.cores = 4, .busy = 10, .idle = 90, .own = 2};
  EXPECT_DOUBLE_EQ(CoresOfOthers(before, {.cores = 4, .busy = 16, .idle = 92, .own = 6}), 1);
  EXPECT_EQ(CoresOfOthers(before, {.cores = 4, .busy = 12, .idle = 96, .own = 6}), 0);
  EXPECT_EQ(CoresOfOthers(before, before), 0);
}

}  // namespace
}  // namespace singa::machine_use
