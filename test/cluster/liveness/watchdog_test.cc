// Tests the thread that watches whether workers and servers make progress.
#include "cluster/liveness/watchdog.h"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include "base/thread/progress_deadline.h"

namespace singa {
namespace {

TEST(WatchdogTest, SaysOnceWhoStandsStillAndHearsThatSomebodyGoesOn) {
  ActivityMark still, goes;
  still.Set(Activity::kUpdating);
  StallDetector finder(200 * kMillisecond);
  finder.Add("worker 0", &still);
  finder.Add("worker 1", &goes);
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::string> stalled;
  uint64_t progress = 0;
  Watchdog::Calls calls = {[&](uint64_t count) {
                             const std::lock_guard lock(mutex);
                             progress = count;
                           },
                           [&](const std::string& text) {
                             const std::lock_guard lock(mutex);
                             stalled.push_back(text);
                             changed.notify_all();
                           }};
  const Watchdog watch(std::move(finder), std::move(calls));
  std::unique_lock lock(mutex);
  const bool found =
      changed.wait_for(lock, std::chrono::seconds(30), [&] { return !stalled.empty(); });
  ASSERT_TRUE(found);
  EXPECT_EQ(stalled[0].substr(0, 29), "worker 0 has stood still for ");
  EXPECT_EQ(progress, 1u);
}

TEST(WatchdogTest, AWaitLastsLongerThanAStallTakesToBeFound) {
  ClusterProto conf;
  EXPECT_EQ(LongestWait(conf), std::chrono::seconds(910));
  conf.set_stall_timeout(2);
  EXPECT_EQ(LongestWait(conf), std::chrono::seconds(13));
  conf.set_stall_timeout(0);
  EXPECT_EQ(LongestWait(conf), kNoEnd);
}

// A process that replaces a lost one loads first, which no mark shows.
TEST(WatchdogTest, AWaitOfSeveralGroupsLastsLongerByTheStartOfAProcess) {
  ClusterProto conf;
  conf.set_stall_timeout(2);
  conf.set_start_timeout(7);
  conf.set_nworker_groups(2);
  EXPECT_EQ(LongestWait(conf), std::chrono::seconds(20));
}

TEST(WatchdogTest, EndsWithoutAStall) {
  ActivityMark goes;
  StallDetector finder(600 * kSecond);
  finder.Add("worker 0", &goes);
  bool stalled = false;
  {
    const Watchdog watch(std::move(finder),
                         {[](uint64_t) {}, [&](const std::string&) { stalled = true; }});
  }
  EXPECT_FALSE(stalled);
}

}  // namespace
}  // namespace singa
