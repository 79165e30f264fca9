#include "cluster/ranks/bucket_exchange.h"

#include <algorithm>
#include <utility>

#include "base/thread/stopped.h"
#include "singa/base/error.h"

namespace singa {

std::vector<std::vector<int>> BucketsOf(const SliceTable& table, int64_t floats) {
  constexpr int64_t kFew = 16;  // so many parts of `floats`, such as a bias, go with the next param
  std::vector<std::vector<int>> buckets;
  int64_t here = 0;
  for (int param = table.params() - 1; param >= 0; --param) {
    const int64_t size = table.size_of(param);
    const bool alone = size > floats && here > floats / kFew;
    if (buckets.empty() || here > floats || alone) {
      buckets.emplace_back();
      here = 0;
    }
    const auto [first, last] = table.OfParam(param);
    for (int s = first; s < last; ++s) buckets.back().push_back(s);
    here += size;
  }
  return buckets;
}

std::vector<std::vector<int>> GradientBuckets(const SliceTable& table, const AllReduceProto& conf) {
  constexpr int64_t kBuckets = 8, kLeast = 1 << 14;  // floats; fewer cost more calls than they hide
  const int64_t share = std::max(kLeast, table.elements() / kBuckets);
  const int64_t most = conf.fusion_elements();
  return BucketsOf(table, conf.has_fusion_elements() ? most : std::min(most, share));
}

int64_t MostFloats(const SliceTable& table, const std::vector<std::vector<int>>& buckets) {
  int64_t most = 0;
  for (const std::vector<int>& bucket : buckets) {
    int64_t floats = 0;
    for (const int s : bucket) floats += table[s].size;
    most = std::max(most, floats);
  }
  return most;
}

BucketExchange::BucketExchange(Setup setup)
    : setup_(std::move(setup)),
      released_(setup_.table.size(), -1),
      fresh_(setup_.table.size(), setup_.first_step),
      exchanged_(setup_.first_step) {}

void BucketExchange::Stop() {
  Fail(std::make_exception_ptr(Stopped()));
  if (thread_.joinable()) thread_.join();
}

void BucketExchange::Run() {
  int64_t exchange = setup_.first_step * std::ssize(setup_.buckets);
  try {
    for (int64_t step = setup_.first_step;; ++step) {
      for (const std::vector<int>& bucket : setup_.buckets) {
        if (AwaitReleased(step, bucket)) setup_.exchange(step, exchange, bucket);
        ++exchange;
      }
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
bool BucketExchange::AwaitReleased(int64_t step, const std::vector<int>& bucket) {
  const auto released = [&]() REQUIRES(mutex_) {
    return std::ranges::all_of(
        bucket, [&](int s) REQUIRES(mutex_) { return released_[s] >= step || !setup_.waits[s]; });
  };
  MutexLock lock(&mutex_);
  changed_.wait(lock.native(),
                [&]() REQUIRES(mutex_) { return failure_ || dropped_ >= step || released(); });
  if (failure_) std::rethrow_exception(failure_);
  return dropped_ < step;
}

void BucketExchange::Release(int slice, int64_t step) {
  {
    const MutexLock lock(&mutex_);
    released_[slice] = step;
  }
  changed_.notify_all();
}

void BucketExchange::Release(int64_t step, const std::function<bool(int)>& which) {
  {
    const MutexLock lock(&mutex_);
    for (int s = 0; s < setup_.table.size(); ++s)
      if (which(s)) released_[s] = step;
  }
  changed_.notify_all();
}

void BucketExchange::MarkFresh(int slice, int64_t step) {
  if (setup_.fresh) setup_.fresh(slice, step);
  {
    const MutexLock lock(&mutex_);
    fresh_[slice] = step + 1;
  }
  changed_.notify_all();
}

void BucketExchange::MarkFresh(int64_t step, const std::vector<int>& slices) {
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
    std::ranges::fill(fresh_, step + 1);
  }
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
  changed_.notify_all();
}

void BucketExchange::Check() {
  const MutexLock lock(&mutex_);
  if (failure_) std::rethrow_exception(failure_);
}

}  // namespace singa
