// Tests which threads do the work of a team, and what happens when a worker fails.
#include "cluster/workers/team_threads.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/thread/omp_threads.h"
#include "base/thread/stopped.h"
#include "singa/base/error.h"

namespace singa {
namespace {

constexpr int kThreads = 3;

class TeamThreadsTest : public ::testing::Test {
 protected:
  static std::string TextOf(const std::exception_ptr& error) {
    try {
      std::rethrow_exception(error);
    } catch (const std::exception& caught) {
      return caught.what();
    }
  }
  TeamThreads::Calls Calls() {
    return {[this] { ++stops_; },
            [this](const std::exception_ptr& error) { failed_.insert(TextOf(error)); }};
  }
  std::vector<std::thread::id> RunOnce() {
    std::vector<std::thread::id> ids(kThreads);
    threads_.Run([&](size_t i) { ids[i] = std::this_thread::get_id(); });
    return ids;
  }

  std::atomic<int> stops_{0};
  std::set<std::string> failed_;
  TeamThreads threads_{kThreads, 2, Calls()};
};

TEST_F(TeamThreadsTest, EachWorkerKeepsItsThreadAndTheFirstIsTheCaller) {
  const std::vector<std::thread::id> ids = RunOnce();
  EXPECT_EQ(ids[0], std::this_thread::get_id());
  EXPECT_EQ(std::set(ids.begin(), ids.end()).size(), size_t{kThreads});
  for (int run = 0; run < 50; ++run) EXPECT_EQ(RunOnce(), ids);
  EXPECT_EQ(stops_, 0);
  EXPECT_NO_THROW(threads_.ThrowFirstError());
}

TEST_F(TeamThreadsTest, ItsThreadsHaveTheirShareOfOpenMp) {
  std::vector<int> most(kThreads);
  threads_.Run([&](size_t i) { most[i] = omp_get_max_threads(); });
  EXPECT_EQ(most[1], 2);
  EXPECT_EQ(most[2], 2);
}

TEST_F(TeamThreadsTest, AnErrorStopsTheOthersAndIsKept) {
  threads_.Run([](size_t i) {
    if (i == 1) throw DeviceError("broken");
  });
  EXPECT_EQ(stops_, 1);
  EXPECT_EQ(failed_, std::set<std::string>{"broken"});
  EXPECT_THROW(threads_.ThrowFirstError(), DeviceError);
  RunOnce();
  EXPECT_THROW(threads_.ThrowFirstError(), DeviceError);
}

// A worker that waits for the one that has failed is stopped. Its error is not the reason.
TEST_F(TeamThreadsTest, ThrowsAnotherErrorBeforeThatOfAStoppedWorker) {
  threads_.Run([](size_t i) {
    if (i == 2) throw DeviceError("broken");
    throw Stopped();
  });
  EXPECT_EQ(stops_, kThreads);
  EXPECT_EQ(failed_, std::set<std::string>{"broken"});
  EXPECT_THROW(threads_.ThrowFirstError(), DeviceError);
}

TEST_F(TeamThreadsTest, ThrowsStoppedIfThereIsNoOtherError) {
  threads_.Run([](size_t) { throw Stopped(); });
  EXPECT_TRUE(failed_.empty());
  EXPECT_THROW(threads_.ThrowFirstError(), Stopped);
}

TEST(OneTeamThreadTest, IsTheCallersAndNeedsNobodyWhoTakesErrors) {
  int stops = 0;
  TeamThreads threads(1, 1, {[&] { ++stops; }, {}});
  threads.Run([](size_t) { throw DeviceError("broken"); });
  EXPECT_EQ(stops, 1);
  EXPECT_THROW(threads.ThrowFirstError(), DeviceError);
}

}  // namespace
}  // namespace singa
