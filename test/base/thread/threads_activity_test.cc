// Tests the texts of a mark while several threads of a worker work.
#include "base/thread/threads_activity.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

namespace singa {
namespace {

class ThreadsActivityTest : public ::testing::Test {
 protected:
  ThreadsActivityTest() { mark_.Set(Activity::kGradient, &layer_); }
  Activity activity() const { return mark_.state().activity; }

  const std::string layer_ = "fc";
  ActivityMark mark_;
};

TEST_F(ThreadsActivityTest, WaitsWhereNoThreadWorks) {
  {
    ThreadsActivity threads(&mark_, Activity::kAwaitsWorkers);
    EXPECT_EQ(activity(), Activity::kAwaitsWorkers);
    { const ThreadsActivity::Scope computes(&threads, Activity::kGradient); }
    EXPECT_EQ(activity(), Activity::kAwaitsWorkers);
  }
  EXPECT_EQ(activity(), Activity::kGradient);
  EXPECT_EQ(mark_.layer(), &layer_);
}

TEST_F(ThreadsActivityTest, WorksWhileAnyThreadDoes) {
  ThreadsActivity threads(&mark_, Activity::kAwaitsWorkers);
  std::unique_ptr<ThreadsActivity::Scope> first, second;
  first = std::make_unique<ThreadsActivity::Scope>(&threads, Activity::kGradient);
  second = std::make_unique<ThreadsActivity::Scope>(&threads, Activity::kGradient);
  first.reset();
  EXPECT_EQ(activity(), Activity::kGradient);
  EXPECT_EQ(mark_.layer(), &layer_);
  second.reset();
  EXPECT_EQ(activity(), Activity::kAwaitsWorkers);
}

TEST_F(ThreadsActivityTest, SaysTheOldestWorkThatIsNotDone) {
  ThreadsActivity threads(&mark_, Activity::kAwaitsWorkers);
  std::unique_ptr<ThreadsActivity::Scope> first, second;
  first = std::make_unique<ThreadsActivity::Scope>(&threads, Activity::kUpdating);
  second = std::make_unique<ThreadsActivity::Scope>(&threads, Activity::kGradient);
  EXPECT_EQ(activity(), Activity::kUpdating);
  first.reset();
  EXPECT_EQ(activity(), Activity::kGradient);
  first = std::make_unique<ThreadsActivity::Scope>(&threads, Activity::kUpdating);
  EXPECT_EQ(activity(), Activity::kGradient);
}

TEST_F(ThreadsActivityTest, GoesOnWithEachWorkOfAnyThread) {
  ThreadsActivity threads(&mark_, Activity::kAwaitsWorkers);
  const uint64_t before = mark_.state().count;
  const auto work = [&] {
    for (int i = 0; i < 1000; ++i) const ThreadsActivity::Scope one(&threads, Activity::kGradient);
  };
  std::thread other(work);
  work();
  other.join();
  EXPECT_EQ(mark_.state().count, before + 4000);
  EXPECT_EQ(activity(), Activity::kAwaitsWorkers);
}

}  // namespace
}  // namespace singa
