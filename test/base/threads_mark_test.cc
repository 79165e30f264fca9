// What a mark says where several threads of a worker work.
#include "base/thread/threads_mark.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

namespace singa {
namespace {

class ThreadsMarkTest : public ::testing::Test {
 protected:
  ThreadsMarkTest() { mark_.Set(Doing::kGradient, &layer_); }
  Doing doing() const { return mark_.state().doing; }

  const std::string layer_ = "fc";
  WorkerMark mark_;
};

TEST_F(ThreadsMarkTest, WaitsWhereNoThreadWorks) {
  {
    ThreadsMark threads(&mark_, Doing::kAwaitsWorkers);
    EXPECT_EQ(doing(), Doing::kAwaitsWorkers);
    { const ThreadsMark::Scope computes(&threads, Doing::kGradient); }
    EXPECT_EQ(doing(), Doing::kAwaitsWorkers);
  }
  EXPECT_EQ(doing(), Doing::kGradient);
  EXPECT_EQ(mark_.layer(), &layer_);
}

TEST_F(ThreadsMarkTest, WorksWhileAnyThreadDoes) {
  ThreadsMark threads(&mark_, Doing::kAwaitsWorkers);
  std::unique_ptr<ThreadsMark::Scope> first, second;
  first = std::make_unique<ThreadsMark::Scope>(&threads, Doing::kGradient);
  second = std::make_unique<ThreadsMark::Scope>(&threads, Doing::kGradient);
  first.reset();
  EXPECT_EQ(doing(), Doing::kGradient);
  EXPECT_EQ(mark_.layer(), &layer_);
  second.reset();
  EXPECT_EQ(doing(), Doing::kAwaitsWorkers);
}

TEST_F(ThreadsMarkTest, SaysTheOldestWorkThatIsNotDone) {
  ThreadsMark threads(&mark_, Doing::kAwaitsWorkers);
  std::unique_ptr<ThreadsMark::Scope> first, second;
  first = std::make_unique<ThreadsMark::Scope>(&threads, Doing::kUpdating);
  second = std::make_unique<ThreadsMark::Scope>(&threads, Doing::kGradient);
  EXPECT_EQ(doing(), Doing::kUpdating);
  first.reset();
  EXPECT_EQ(doing(), Doing::kGradient);
  first = std::make_unique<ThreadsMark::Scope>(&threads, Doing::kUpdating);
  EXPECT_EQ(doing(), Doing::kGradient);
}

TEST_F(ThreadsMarkTest, GoesOnWithEachWorkOfAnyThread) {
  ThreadsMark threads(&mark_, Doing::kAwaitsWorkers);
  const uint64_t before = mark_.state().count;
  const auto work = [&] {
    for (int i = 0; i < 1000; ++i) const ThreadsMark::Scope one(&threads, Doing::kGradient);
  };
  std::thread other(work);
  work();
  other.join();
  EXPECT_EQ(mark_.state().count, before + 4000);
  EXPECT_EQ(doing(), Doing::kAwaitsWorkers);
}

}  // namespace
}  // namespace singa
