// Mutex and MutexLock are std::mutex and std::unique_lock with the attributes of thread_safety.h,
// which libstdc++'s do not have. They compile to the same code. So do SharedMutex and its locks.
#pragma once

#include <mutex>
#include <shared_mutex>

#include "base/thread/thread_safety.h"

namespace singa {

class CAPABILITY("mutex") Mutex {
 private:
  friend class MutexLock;

  std::mutex mutex_;
};

// Holds a mutex while it lives, except between Unlock and Lock.
class SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex* mutex) ACQUIRE(mutex) : lock_(mutex->mutex_) {}
  ~MutexLock() RELEASE() {}
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  void Unlock() RELEASE() { lock_.unlock(); }
  void Lock() ACQUIRE() { lock_.lock(); }

  // For waits: changed.wait(lock.native(), [this]() REQUIRES(mutex_) { return done_; });
  std::unique_lock<std::mutex>& native() { return lock_; }

 private:
  std::unique_lock<std::mutex> lock_;
};

// A SharedMutex is held by any number of readers, or by one writer.
class CAPABILITY("mutex") SharedMutex {
 private:
  friend class ReadLock;
  friend class WriteLock;

  std::shared_mutex mutex_;
};

class SCOPED_CAPABILITY ReadLock {
 public:
  explicit ReadLock(SharedMutex* mutex) ACQUIRE_SHARED(mutex) : lock_(mutex->mutex_) {}
  ~ReadLock() RELEASE() {}
  ReadLock(const ReadLock&) = delete;
  ReadLock& operator=(const ReadLock&) = delete;

 private:
  std::shared_lock<std::shared_mutex> lock_;
};

class SCOPED_CAPABILITY WriteLock {
 public:
  explicit WriteLock(SharedMutex* mutex) ACQUIRE(mutex) : lock_(mutex->mutex_) {}
  ~WriteLock() RELEASE() {}
  WriteLock(const WriteLock&) = delete;
  WriteLock& operator=(const WriteLock&) = delete;

 private:
  std::unique_lock<std::shared_mutex> lock_;
};

}  // namespace singa
