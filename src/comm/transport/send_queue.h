// SendQueue: the messages to one process that it has not acknowledged, and behind them those that
// wait for the window to move on. Payload is shared with whoever sent it, not copied.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "comm/message/message.h"

namespace singa {

class SendQueue {
 public:
  struct Entry {
    PacketHeader header;  // seq and message are set
    std::vector<Frame> payload;
    int64_t bytes = 0;
  };

  // What may be under way at once; one message may be larger. Both > 0.
  SendQueue(int64_t window_messages, int64_t window_bytes)
      : window_messages_(window_messages), window_bytes_(window_bytes), burst_(window_messages) {}

  void Push(Message message);
  // What is to be transmitted next; null: nothing is left or may be under way besides.
  Entry* Next();
  // Next() has been transmitted before.
  bool resending() const { return next_ <= transmitted_; }
  // Next() is under way.
  void Advance();
  // All up to `seq` have arrived. How many of them are news; -1: `seq` was never transmitted.
  int64_t Acknowledge(uint64_t seq);
  // Everything is to be transmitted again: with `probe` one message, then, as acknowledgements
  // come in, twice as many each time.
  void Rewind(bool probe);
  // Forgets everything: the next message is number 1.
  void Clear();

  bool empty() const { return entries_.empty(); }
  int64_t messages() const { return static_cast<int64_t>(entries_.size()); }
  int64_t bytes() const { return bytes_; }
  // Something lies beyond the window.
  bool full() const { return messages() > window_messages_ || bytes_ > window_bytes_; }

 private:
  int64_t window_messages_, window_bytes_;
  std::deque<Entry> entries_;  // numbers first_, first_ + 1, ...
  int64_t bytes_ = 0;          // of entries_
  int64_t flight_bytes_ = 0;   // of those before next_
  uint64_t first_ = 1, next_ = 1;
  uint64_t transmitted_ = 0;  // the highest number that was under way
  int64_t burst_;             // messages that may be under way, at most window_messages_
};

}  // namespace singa
