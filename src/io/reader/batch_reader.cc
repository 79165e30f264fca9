#include "io/reader/batch_reader.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/thread/thread.h"
#include "math/parallel_slices.h"
#include "singa/base/error.h"

namespace singa {
namespace {

constexpr std::chrono::milliseconds kLook{100};

}  // namespace

BatchReader::BatchReader(const ReaderOptions& options)
    : options_(options), skipped_(options.max_bad), order_(options.order), ring_(options.slots()) {
  StartThreads();
}

BatchReader::~BatchReader() {
  drop_ = true;
  {
    const MutexLock lock(&mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

// Starts fewer threads if the system has no more; the batches are the same.
void BatchReader::StartThreads() {
  threads_.reserve(options_.threads);
  try {
    for (int i = 0; i < options_.threads; ++i)
      threads_.push_back(StartThread([this, i] { Run(i); }));
  } catch (const Error&) {
    if (threads_.empty()) throw;
  }
}

void BatchReader::Run(int thread) {
  std::unique_ptr<BatchDecoder> decoder;
  StoreFacts facts;
  std::exception_ptr error;
  ReaderOptions options = options_;
  options.store.warns = options_.store.warns && thread == 0;
  try {
    auto opened = std::make_unique<BatchDecoder>(options);
    if (thread == 0) facts = opened->facts();
    decoder = std::move(opened);
  } catch (...) {
    error = std::current_exception();
  }
  {
    const MutexLock lock(&mutex_);
    if (!decoder) {
      open_error_ = error;
    } else {  // all threads open the same store
      records_ = decoder->records();
      if (thread == 0) facts_ = std::move(facts);
    }
  }
  changed_.notify_all();
  if (decoder) DecodeUntilStopped(decoder.get());
}

void BatchReader::DecodeUntilStopped(BatchDecoder* decoder) {
  uint64_t order_of = 0;  // value of seeks_ for the decoder's order
  MutexLock lock(&mutex_);
  for (;;) {
    changed_.wait(lock.native(), [this]() REQUIRES(mutex_) { return stop_ || MayClaim(); });
    if (stop_) return;
    Slot& slot = ring_[(head_ + claimed_++) % static_cast<int64_t>(ring_.size())];
    ++busy_;
    const int64_t position = next_;
    next_ += options_.batch;
    if (order_of != seeks_) decoder->SetOrder(order_);
    order_of = seeks_;
    lock.Unlock();
    try {
      decoder->Decode(position, drop_, &slot.batch);
    } catch (...) {
      slot.error = std::current_exception();
    }
    lock.Lock();
    --busy_;
    slot.done = true;
    failed_ = failed_ || slot.error;
    changed_.notify_all();
  }
}

bool BatchReader::Await(const std::function<bool()>& stop) {
  MutexLock lock(&mutex_);
  return AwaitBatch(&lock, stop);
}

bool BatchReader::AwaitBatch(MutexLock* lock, const std::function<bool()>& stop) {
  const auto ready = [this]() REQUIRES(mutex_) { return ring_[head_].done || open_error_; };
  if (ready()) return true;
  const auto start = std::chrono::steady_clock::now();
  while (!changed_.wait_for(lock->native(), kLook, ready) && !stop()) continue;
  const std::chrono::duration<double, std::milli> waited = std::chrono::steady_clock::now() - start;
  wait_ms_ += waited.count();
  return ready();
}

void BatchReader::Next(const Context& ctx, float* data, int32_t* labels, float* targets) {
  MutexLock lock(&mutex_);
  AwaitBatch(&lock, [] { return false; });
  Slot& slot = ring_[head_];
  if (open_error_) std::rethrow_exception(open_error_);
  if (slot.error) std::rethrow_exception(slot.error);
  lock.Unlock();  // no other thread uses a slot that is done
  skipped_.Add(slot.batch.bad, slot.batch.bad_beside);
  const float* const from = slot.batch.data.data();
  ParallelSlices(
      ctx, static_cast<int64_t>(slot.batch.data.size()),
      [=](int64_t begin, int64_t end) { std::copy(from + begin, from + end, data + begin); });
  if (labels) std::copy(slot.batch.labels.begin(), slot.batch.labels.end(), labels);
  if (targets) std::copy(slot.batch.targets.begin(), slot.batch.targets.end(), targets);
  lock.Lock();
  slot.done = false;
  head_ = (head_ + 1) % static_cast<int64_t>(ring_.size());
  --claimed_;
  position_ += options_.batch;
  lock.Unlock();
  changed_.notify_all();
}

void BatchReader::Seek(int64_t position, const OrderOptions& order) {
  {
    MutexLock lock(&mutex_);
    seeking_ = true;
    drop_ = true;
    changed_.wait(lock.native(), [this]() REQUIRES(mutex_) { return busy_ == 0; });
    for (Slot& slot : ring_) {
      slot.done = false;
      slot.error = nullptr;
    }
    claimed_ = 0;
    failed_ = seeking_ = false;
    drop_ = false;
    next_ = position_ = position;
    order_ = order;
    ++seeks_;
  }
  changed_.notify_all();
}

void BatchReader::AwaitStore(MutexLock* lock) {
  changed_.wait(lock->native(), [this]() REQUIRES(mutex_) { return records_ >= 0 || open_error_; });
  if (open_error_) std::rethrow_exception(open_error_);
}

int64_t BatchReader::Records() {
  MutexLock lock(&mutex_);
  AwaitStore(&lock);
  return records_;
}

StoreFacts BatchReader::Facts() {
  MutexLock lock(&mutex_);
  changed_.wait(lock.native(), [this]() REQUIRES(mutex_) { return facts_ || open_error_; });
  if (open_error_) std::rethrow_exception(open_error_);
  return *facts_;
}

int64_t BatchReader::RecordOfRow(int64_t row) {
  const MutexLock lock(&mutex_);
  const int64_t place = position_ - options_.batch + options_.first + row;
  return skipped_.StandIn(RecordOrder(order_, records_).At(place), records_);
}

double BatchReader::TakeWaitMs() { return std::exchange(wait_ms_, 0); }

}  // namespace singa
