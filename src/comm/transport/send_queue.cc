#include "comm/transport/send_queue.h"

#include <algorithm>
#include <utility>

namespace singa {

void SendQueue::Push(Message message) {
  Entry& entry = entries_.emplace_back();
  entry.header.set_seq(first_ + entries_.size() - 1);
  *entry.header.mutable_message() = std::move(message.head);
  entry.payload = std::move(message.payload);
  entry.bytes = static_cast<int64_t>(entry.header.ByteSizeLong());
  for (const Frame& frame : entry.payload) entry.bytes += static_cast<int64_t>(frame.size());
  bytes_ += entry.bytes;
}

SendQueue::Entry* SendQueue::Next() {
  const auto flight = static_cast<int64_t>(next_ - first_);
  if (flight >= std::min(messages(), burst_)) return nullptr;
  Entry& entry = entries_[flight];
  if (flight > 0 && flight_bytes_ + entry.bytes > window_bytes_) return nullptr;
  return &entry;
}

void SendQueue::Advance() {
  flight_bytes_ += entries_[next_ - first_].bytes;
  transmitted_ = std::max(transmitted_, next_++);
}

int64_t SendQueue::Acknowledge(uint64_t seq) {
  if (seq > transmitted_) return -1;
  if (seq < first_) return 0;
  const auto news = static_cast<int64_t>(seq - first_) + 1;
  for (; first_ <= seq; ++first_) {
    const int64_t bytes = entries_.front().bytes;
    bytes_ -= bytes;
    if (first_ < next_) flight_bytes_ -= bytes;
    entries_.pop_front();
  }
  next_ = std::max(next_, first_);
  burst_ = std::min(window_messages_, burst_ * 2);
  return news;
}

void SendQueue::Rewind(bool probe) {
  next_ = first_;
  flight_bytes_ = 0;
  burst_ = probe ? 1 : window_messages_;
}

void SendQueue::Clear() { *this = SendQueue(window_messages_, window_bytes_); }

}  // namespace singa
