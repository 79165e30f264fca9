// Outgoing makes the messages of one role. It collects parts for one receiver in one message until
// that is large.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

#include "comm/codec/float_frame.h"

namespace singa {

class Outgoing {
 public:
  static constexpr int kMostParts = 256;

  // A message leaves when it has `send_at` floats, kMostParts parts, or at Flush. Only one part may
  // make it larger than SliceTable::kMost floats: a slice with updater's states.
  Outgoing(Address from, int64_t send_at, Outbox* out)
      : from_(std::move(from)), send_at_(send_at), out_(out) {}

  // Adds a part. `head`: type, receiver and other fields of the whole message; a part joins others
  // of an equal head. Sets part.elements, and part.bytes if it is needed.
  void Add(const WireMessage& head, SlicePart part, EncodedFloats floats);
  // Adds a part whose floats travel as they are; an empty frame has none.
  void Add(const WireMessage& head, SlicePart part, Frame floats) {
    Add(head, std::move(part), Plain(std::move(floats)));
  }
  // Posts a message without parts, at once.
  void Post(WireMessage head);
  void Flush();

 private:
  // type, role, group and id of the receiver
  using Key = std::tuple<int, int, uint32_t, uint32_t>;
  struct Open {
    Message message;
    int64_t floats = 0;
  };
  void Send(Open* open);

  const Address from_;
  const int64_t send_at_;
  Outbox* const out_;
  std::map<Key, Open> open_;
};

}  // namespace singa
