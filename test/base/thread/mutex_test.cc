// A lock holds its mutex while it lives, but not while it waits or is unlocked.
#include "base/thread/mutex.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <thread>

namespace singa {
namespace {

class MutexTest : public ::testing::Test {
 protected:
  void Add(int times) {
    for (int i = 0; i < times; ++i) {
      const MutexLock lock(&mutex_);
      ++count_;
    }
    changed_.notify_all();
  }
  // Waits for the count, and returns it.
  int AwaitCount(int count) {
    MutexLock lock(&mutex_);
    changed_.wait(lock.native(), [&]() REQUIRES(mutex_) { return count_ == count; });
    return count_;
  }

  Mutex mutex_;
  std::condition_variable changed_;
  int count_ GUARDED_BY(mutex_) = 0;
};

TEST_F(MutexTest, OneThreadAtATimeHoldsIt) {
  std::thread other([this] { Add(10000); });
  Add(10000);
  other.join();
  const MutexLock lock(&mutex_);
  EXPECT_EQ(count_, 20000);
}

TEST_F(MutexTest, AWaitLetsItGo) {
  std::thread other([this] { Add(1); });
  EXPECT_EQ(AwaitCount(1), 1);
  other.join();
}

TEST_F(MutexTest, IsFreeBetweenUnlockAndLock) {
  MutexLock lock(&mutex_);
  lock.Unlock();
  Add(1);  // would wait for ever if the lock were held
  lock.Lock();
  EXPECT_EQ(count_, 1);
}

}  // namespace
}  // namespace singa
