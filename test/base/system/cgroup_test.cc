#include "base/system/cgroup.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "io/temp_dir.h"

namespace singa {
namespace {

// CgroupTest writes the files of a machine below a temporary folder.
class CgroupTest : public ::testing::Test {
 protected:
  void Write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(root_.Path(path)).parent_path());
    root_.Write(path, text);
  }

  TempDir root_;
  const std::string path_ = root_.Path("");
};

TEST_F(CgroupTest, NoneIsNoLimit) {
  EXPECT_FALSE(CgroupCores(path_));
  EXPECT_FALSE(CgroupMemory(path_));
}

TEST_F(CgroupTest, ReadsVersionTwoAndTakesTheLeastUpwards) {
  Write("proc/self/cgroup", "0::/a/b\n");
  Write("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  Write("sys/fs/cgroup/a/cpu.max", "150000 100000\n");
  Write("sys/fs/cgroup/a/b/memory.max", "max\n");
  Write("sys/fs/cgroup/a/memory.max", "1000000\n");
  Write("sys/fs/cgroup/a/b/memory.current", "4000\n");
  EXPECT_EQ(CgroupCores(path_), 1.5);
  EXPECT_EQ(CgroupMemory(path_), 1000000);
  EXPECT_EQ(CgroupMemoryUsed(path_), 4000);
}

TEST_F(CgroupTest, ReadsVersionOneInAContainer) {
  Write("proc/self/cgroup", "5:cpu,cpuacct:/docker/1\n4:memory:/docker/1\n");
  Write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "200000\n");
  Write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  Write("sys/fs/cgroup/memory/memory.limit_in_bytes", "2000000\n");
  Write("sys/fs/cgroup/memory/memory.usage_in_bytes", "5000\n");
  EXPECT_EQ(CgroupCores(path_), 2);
  EXPECT_EQ(CgroupMemory(path_), 2000000);
  EXPECT_EQ(CgroupMemoryUsed(path_), 5000);
}

TEST_F(CgroupTest, UnlimitedOfVersionOneIsNoLimit) {
  Write("proc/self/cgroup", "5:cpu:/\n4:memory:/\n");
  Write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  Write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  Write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_FALSE(CgroupCores(path_));
  EXPECT_FALSE(CgroupMemory(path_));
}

TEST_F(CgroupTest, TheTightestLimitOnProcessesCounts) {
  EXPECT_FALSE(CgroupPids(path_));
  Write("proc/self/cgroup", "0::/a/b\n");
  Write("sys/fs/cgroup/a/b/pids.max", "max\n");
  Write("sys/fs/cgroup/a/pids.max", "100\n");
  Write("sys/fs/cgroup/a/pids.current", "98\n");
  Write("sys/fs/cgroup/pids.max", "50\n");
  Write("sys/fs/cgroup/pids.current", "3\n");
  const auto pids = CgroupPids(path_);
  ASSERT_TRUE(pids);
  EXPECT_EQ(pids->most, 100);
  EXPECT_EQ(pids->used, 98);
}

TEST_F(CgroupTest, CountsProcessesThatWereKilledForLackOfMemory) {
  EXPECT_FALSE(OutOfMemoryKills(path_));
  Write("proc/vmstat", "nr_free_pages 5000\noom_kill 9\n");
  EXPECT_EQ(OutOfMemoryKills(path_), 9);
  Write("proc/self/cgroup", "4:memory:/docker/1\n0::/\n");
  Write("sys/fs/cgroup/memory/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n");
  EXPECT_EQ(OutOfMemoryKills(path_), 3);
  Write("proc/self/cgroup", "0::/a\n");
  Write("sys/fs/cgroup/a/memory.events", "low 0\nhigh 0\nmax 7\noom 2\noom_kill 2\n");
  EXPECT_EQ(OutOfMemoryKills(path_), 2);
}

}  // namespace
}  // namespace singa
