#include "base/thread/core_binding.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <utility>

#include "io/temp_dir.h"

namespace singa {
namespace {

int CoresHere() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

// Returns whether `holds` does, in a process of its own, as a binding lasts.
bool HoldsApart(const std::function<bool()>& holds) {
  const pid_t child = fork();
  if (child == 0) _exit(holds() ? 0 : 1);
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

TEST(CoreBinding, BindsThreadsThatAreMadeLater) {
  EXPECT_TRUE(HoldsApart([] {
    const int all = AffinityCores();
    int of_thread = 0;
    if (!BindToCores(all - 1, 1)) return false;
    std::thread([&of_thread] { of_thread = CoresHere(); }).join();
    return CoresHere() == 1 && of_thread == 1;
  }));
}

TEST(CoreBinding, TheProcessCountsTheCoresThatItHadBefore) {
  EXPECT_TRUE(HoldsApart([] {
    const int all = AffinityCores();
    return BindToCores(0, 1) && BindToCores(all - 1, 1) && AffinityCores() == all &&
           CoresHere() == 1;
  }));
}

TEST(CoreBinding, AScopeMayUseAllCores) {
  EXPECT_TRUE(HoldsApart([] {
    const int all = AffinityCores();
    if (!BindToCores(0, 1)) return false;
    {
      const AllCores wide;
      if (CoresHere() != all) return false;
    }
    return CoresHere() == 1;
  }));
}

TEST(CoreBinding, AScopeKeepsAnAffinityThatAUserSet) {
  EXPECT_TRUE(HoldsApart([] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) return false;
    const AllCores wide;
    return CoresHere() == 1 && AffinityCores() == 1;
  }));
}

TEST(AffinityTest, CountsTheCoresThatThisThreadMayRunOn) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(AffinityCores(), CPU_COUNT(&before));
  CPU_ZERO(&one);
  for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++i)
    if (CPU_ISSET(i, &before)) CPU_SET(i, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(AffinityCores(), 1);
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

TEST(UsableCores, AreWholeAndAtLeastOne) {
  const TempDir root;
  const std::string path = root.Path("");
  EXPECT_EQ(UsableCores(4, path), 4);
  EXPECT_EQ(UsableCores(0, path), 1);
  std::filesystem::create_directories(root.Path("proc/self"));
  std::filesystem::create_directories(root.Path("sys/fs/cgroup/a"));
  root.Write("proc/self/cgroup", "0::/a\n");
  for (const auto& [quota, cores] :
       {std::pair<std::string, int>("50000", 1), {"270000", 2}, {"900000", 4}}) {
    root.Write("sys/fs/cgroup/a/cpu.max", quota + " 100000\n");
    EXPECT_EQ(UsableCores(4, path), cores) << quota;
  }
}

}  // namespace
}  // namespace singa
