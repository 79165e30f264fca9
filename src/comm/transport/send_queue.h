// SendQueue holds the messages to one process that it has not acknowledged, and behind them those
// that wait for the window. Payload is shared with the sender of the message, not copied.
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

  // Bounds the messages and bytes in flight; one message may be larger. Both > 0.
  SendQueue(int64_t window_messages, int64_t window_bytes)
      : window_messages_(window_messages), window_bytes_(window_bytes), burst_(window_messages) {}

  void Push(Message message);
  // Returns the message to transmit next; null: none is left, or the window is full.
  Entry* Next();
  // Returns whether Next() has been transmitted before.
  bool resending() const { return next_ <= transmitted_; }
  // Notes that Next() was transmitted.
  void Advance();
  // Removes the messages up to `seq`, which have arrived. Returns how many; -1: `seq` was never
  // transmitted.
  int64_t Acknowledge(uint64_t seq);
  // Starts to transmit everything again. With `probe`, one message goes first, then twice as many
  // with each acknowledgement.
  void Rewind(bool probe);
  // Forgets all messages. The next message is number 1.
  void Clear();

  bool empty() const { return entries_.empty(); }
  int64_t messages() const { return static_cast<int64_t>(entries_.size()); }
  int64_t bytes() const { return bytes_; }

 private:
  int64_t window_messages_, window_bytes_;
  std::deque<Entry> entries_;  // numbers first_, first_ + 1, ...
  int64_t bytes_ = 0;          // of entries_
  int64_t flight_bytes_ = 0;   // of the entries before next_
  uint64_t first_ = 1, next_ = 1;
  uint64_t transmitted_ = 0;  // the highest number that was transmitted
  int64_t burst_;             // messages that may be in flight, at most window_messages_
};

}  // namespace singa
