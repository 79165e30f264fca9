#include "base/system/system_limits.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cerrno>
#include <filesystem>

#include "io/temp_dir.h"

namespace singa {
namespace {

TEST(SystemLimitsTest, NamesPidsMaxWithItsValueAndUse) {
  const TempDir root;
  for (const char* folder : {"proc/self", "sys/fs/cgroup/a"})
    std::filesystem::create_directories(root.Path(folder));
  root.Write("proc/self/cgroup", "0::/a\n");
  root.Write("sys/fs/cgroup/a/pids.max", "64\n");
  root.Write("sys/fs/cgroup/a/pids.current", "63\n");
  EXPECT_NE(SystemLimits(root.Path(""))
                .find("64 processes and threads of the control group (pids.max), 63 in use"),
            std::string::npos);
}

TEST(SystemLimitsTest, WhatCannotBeStartedIsCodeSeventyThreeWithErrnosText) {
  const Error error = CannotStart("a thread", EAGAIN);
  EXPECT_EQ(error.code(), kExitCantCreate);
  EXPECT_EQ(
      std::string(error.what()).rfind("cannot start a thread: Resource temporarily unavailable", 0),
      0u)
      << error.what();
}

TEST(SystemLimitsTest, OutOfMemoryNamesTheLimitOnAddresses) {
  rlimit before;
  getrlimit(RLIMIT_AS, &before);
  rlimit wide = before;
  wide.rlim_cur = rlim_t{1} << 45;
  if (setrlimit(RLIMIT_AS, &wide) != 0) GTEST_SKIP() << "the limit cannot be set";
  const std::string text = OutOfMemoryText();
  setrlimit(RLIMIT_AS, &before);
  EXPECT_NE(text.find("33554432 MiB of memory addresses (RLIMIT_AS"), std::string::npos) << text;
}

}  // namespace
}  // namespace singa
