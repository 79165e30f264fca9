#include "cluster/ranks/bucket_exchange.h"

#include <algorithm>
#include <utility>

#include "base/thread/stopped.h"
#include "singa/base/error.h"

namespace singa {

BucketExchange::BucketExchange(Setup setup)
    : setup_(std::move(setup)),
      bucket_of_(setup_.table.size()),
      waits_(setup_.buckets.size()),
      released_(setup_.buckets.size()),
      complete_(setup_.buckets.size(), setup_.first_step),
      fresh_(setup_.table.size(), setup_.first_step),
      exchanged_(setup_.first_step) {
  for (size_t b = 0; b < setup_.buckets.size(); ++b)
    for (const int s : setup_.buckets[b]) {
      bucket_of_[s] = static_cast<int>(b);
      waits_[b] += setup_.waits[s];
    }
}

void BucketExchange::Stop() {
  Fail(std::make_exception_ptr(Stopped()));
  if (thread_.joinable()) thread_.join();
}

void BucketExchange::Run() {
  const auto buckets = static_cast<int>(setup_.buckets.size());
  try {
    for (int64_t step = setup_.first_step;; ++step) {
      for (int b = 0; b < buckets; ++b)
        if (AwaitReleased(step, b)) setup_.exchange(step, step * buckets + b, setup_.buckets[b]);
      {
        const MutexLock lock(&mutex_);
        exchanged_ = step + 1;
      }
      changed_.notify_all();
    }
  } catch (...) {
    Fail(std::current_exception());
  }
}

// Returns whether the bucket takes part in `step`.
bool BucketExchange::AwaitReleased(int64_t step, int bucket) {
  MutexLock lock(&mutex_);
  completed_.wait(lock.native(), [&]() REQUIRES(mutex_) {
    return failure_ || dropped_ >= step || waits_[bucket] == 0 || complete_[bucket] > step;
  });
  if (failure_) std::rethrow_exception(failure_);
  return dropped_ < step;
}

void BucketExchange::Release(int slice, int64_t step) {
  const int bucket = bucket_of_[slice];
  {
    const MutexLock lock(&mutex_);
    if (!setup_.waits[slice] || ++released_[bucket] < waits_[bucket]) return;
    released_[bucket] = 0;  // its next step begins when this one's exchange is done
  }
  Complete(bucket, step);
}

void BucketExchange::Release(int64_t step, const std::function<bool(int)>& which) {
  for (int s = 0; s < setup_.table.size(); ++s)
    if (which(s)) Release(s, step);
}

// All slices of the bucket were released.
void BucketExchange::Complete(int bucket, int64_t step) {
  try {
    const int64_t exchange = step * std::ssize(setup_.buckets) + bucket;
    if (setup_.released) setup_.released(exchange, setup_.buckets[bucket]);
  } catch (...) {
    return Fail(std::current_exception());
  }
  {
    const MutexLock lock(&mutex_);
    complete_[bucket] = std::max(complete_[bucket], step + 1);
  }
  completed_.notify_one();
}

void BucketExchange::MarkFresh(int64_t step, std::span<const int> slices) {
  if (setup_.fresh)
    for (const int s : slices) setup_.fresh(s, step);
  {
    const MutexLock lock(&mutex_);
    for (const int s : slices) fresh_[s] = step + 1;
  }
  changed_.notify_all();
}

void BucketExchange::Drop(int64_t step) {
  {
    const MutexLock lock(&mutex_);
    dropped_ = step;
    std::ranges::fill(released_, 0);
    std::ranges::fill(fresh_, step + 1);
  }
  completed_.notify_one();
  changed_.notify_all();
}

void BucketExchange::AwaitFresh(int first, int last, int64_t step) {
  MutexLock lock(&mutex_);
  AwaitLocked(&lock, [&]() REQUIRES(mutex_) {
    return std::all_of(fresh_.begin() + first, fresh_.begin() + last,
                       [&](int64_t steps) { return steps >= step; });
  });
}

void BucketExchange::AwaitExchanged(int64_t step) {
  MutexLock lock(&mutex_);
  AwaitLocked(&lock, [&]() REQUIRES(mutex_) { return exchanged_ > step; });
}

void BucketExchange::AwaitLocked(MutexLock* lock, const std::function<bool()>& done) {
  const bool in_time = setup_.deadline->Wait(&changed_, &lock->native(),
                                             [&]() REQUIRES(mutex_) { return failure_ || done(); });
  if (failure_) std::rethrow_exception(failure_);
  if (!in_time) throw Error(kExitStalled, "the other processes do not add gradients up");
}

void BucketExchange::Fail(std::exception_ptr error) {
  {
    const MutexLock lock(&mutex_);
    if (!failure_) failure_ = std::move(error);
  }
  completed_.notify_one();
  changed_.notify_all();
}

void BucketExchange::Check() {
  const MutexLock lock(&mutex_);
  if (failure_) std::rethrow_exception(failure_);
}

}  // namespace singa
