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
  MutexLock lock(&mutex_);
  while (!failure_) {
    const Stage stage = Next();
    if (stage < kStages)
      Pass(stage, &lock);
    else
      completed_.wait(lock.native());
  }
}

bool BucketExchange::CanPass(Stage stage) const {
  const int bucket = passed_[stage];
  if (bucket == buckets()) return false;
  if (stage != kReleased) return bucket < passed_[stage - 1];
  return dropped_ >= exchanged_ || waits_[bucket] == 0 || complete_[bucket] > exchanged_;
}

BucketExchange::Stage BucketExchange::Next() const {
  int stage = working_ ? kStages : kReleased;
  while (stage < kStages && !CanPass(static_cast<Stage>(stage))) ++stage;
  return static_cast<Stage>(stage);
}

// With a thread, the worker that releases a bucket has done the work of kReleased.
const BucketExchange::Work& BucketExchange::WorkOf(Stage stage, int bucket) const {
  static const Work none;
  if (stage == kExchanged) return setup_.exchange;
  if (stage == kBegun) return setup_.begin;
  return threaded_ || waits_[bucket] == 0 ? none : setup_.released;
}

void BucketExchange::Pass(Stage stage, MutexLock* lock) {
  const int64_t step = exchanged_;
  const int bucket = passed_[stage];
  const bool takes_part = dropped_ < step;
  working_ = true;
  lock->native().unlock();
  std::exception_ptr failure;
  try {
    const Work& work = WorkOf(stage, bucket);
    if (takes_part && work) work(step, NumberOf(step, bucket), setup_.buckets[bucket]);
  } catch (...) {
    failure = std::current_exception();
  }
  lock->native().lock();
  working_ = false;
  if (!failure_) failure_ = failure;
  ++passed_[stage];
  if (passed_[kExchanged] == buckets()) {
    passed_ = {};
    exchanged_ = step + 1;
  }
  if (failure_ || Next() < kStages) completed_.notify_one();
  changed_.notify_all();
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
    if (threaded_ && setup_.released)
      setup_.released(step, NumberOf(step, bucket), setup_.buckets[bucket]);
  } catch (...) {
    return Fail(std::current_exception());
  }
  {
    const MutexLock lock(&mutex_);
    complete_[bucket] = std::max(complete_[bucket], step + 1);
  }
  completed_.notify_one();
  changed_.notify_all();
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
  while (true) {
    const bool in_time = setup_.deadline->Wait(&changed_, &lock->native(), [&]() REQUIRES(mutex_) {
      return failure_ || done() || Next() < kStages;
    });
    if (failure_) std::rethrow_exception(failure_);
    if (done()) return;
    if (!in_time) throw Error(kExitStalled, "the other processes do not add gradients up");
    Pass(Next(), lock);
  }
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
