#include "io/batch_reader.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace singa {

BatchReader::BatchReader(const ReaderOptions& options)
    : options_(options), order_(options.order), thread_([this] { Run(); }) {}

BatchReader::~BatchReader() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void BatchReader::Run() {
  try {
    store_ = OpenStore(options_.backend, options_.store);
    decoder_ = std::make_unique<RowDecoder>(options_.shape, options_.norm, options_.backend,
                                            options_.store);
    AllocateRing();
  } catch (...) {
    const std::lock_guard lock(mutex_);
    open_error_ = std::current_exception();
    changed_.notify_all();
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    records_ = store_->size();
  }
  changed_.notify_all();
  DecodeUntilStopped();
}

// A store of few records needs no less: batches run across epoch ends.
void BatchReader::AllocateRing() {
  ring_.resize(std::max(1, options_.ring));
  for (Slot& slot : ring_) {
    slot.data.resize(options_.rows * decoder_->size());
    slot.labels.resize(options_.rows);
  }
}

void BatchReader::DecodeUntilStopped() {
  std::unique_ptr<RecordOrder> order;
  OrderOptions order_options = options_.order;
  uint64_t order_of = 0;  // the value of seeks_ that `order` is for
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(
        lock, [this] { return stop_ || (!error_ && count_ < static_cast<int64_t>(ring_.size())); });
    if (stop_) return;
    const uint64_t seeks = seeks_;
    const int64_t position = decode_position_;
    if (order_of != seeks) order_options = order_;
    Slot& slot = ring_[(head_ + count_) % ring_.size()];
    lock.unlock();
    std::exception_ptr error;
    try {
      if (!order || order_of != seeks)
        order = std::make_unique<RecordOrder>(order_options, store_->size());
      order_of = seeks;
      Decode(position, order.get(), &slot);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    if (seeks != seeks_) continue;
    if (error) {
      error_ = error;
    } else {
      ++count_;
      decode_position_ += options_.batch;
    }
    changed_.notify_all();
  }
}

void BatchReader::Decode(int64_t position, RecordOrder* order, Slot* slot) {
  float* row = slot->data.data();
  for (int64_t r = 0; r < options_.rows; ++r, row += decoder_->size()) {
    const int64_t index = order->At(position + options_.first + r);
    const Sample& sample = store_->Read(index);
    decoder_->Decode(sample, *store_, index, row);
    slot->labels[r] = options_.store.has_label ? sample.label : -1;
  }
}

void BatchReader::Next(float* data, int32_t* labels) {
  std::unique_lock lock(mutex_);
  const auto ready = [this] { return count_ > 0 || error_ || open_error_; };
  if (!ready()) {
    const auto start = std::chrono::steady_clock::now();
    changed_.wait(lock, ready);
    const std::chrono::duration<double, std::milli> waited =
        std::chrono::steady_clock::now() - start;
    wait_ms_ += waited.count();
  }
  if (open_error_) std::rethrow_exception(open_error_);
  if (count_ == 0) std::rethrow_exception(error_);
  const Slot& slot = ring_[head_];
  lock.unlock();  // the thread does not touch a full slot
  std::copy(slot.data.begin(), slot.data.end(), data);
  if (labels) std::copy(slot.labels.begin(), slot.labels.end(), labels);
  lock.lock();
  head_ = (head_ + 1) % static_cast<int64_t>(ring_.size());
  --count_;
  position_ += options_.batch;
  lock.unlock();
  changed_.notify_all();
}

void BatchReader::Seek(int64_t position, const OrderOptions& order) {
  {
    const std::lock_guard lock(mutex_);
    decode_position_ = position_ = position;
    order_ = order;
    error_ = nullptr;
    count_ = 0;
    ++seeks_;
  }
  changed_.notify_all();
}

int64_t BatchReader::Records() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return records_ >= 0 || open_error_; });
  if (open_error_) std::rethrow_exception(open_error_);
  return records_;
}

int64_t BatchReader::RecordOfRow(int64_t row) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return RecordOrder(order_, records_).At(position_ - options_.batch + options_.first + row);
}

double BatchReader::TakeWaitMs() { return std::exchange(wait_ms_, 0); }

}  // namespace singa
