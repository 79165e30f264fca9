// LinkListener keeps the events of a channel in order.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "comm/transport/reliable_channel.h"

namespace singa {

struct LinkEvent {
  enum What { kMessage, kRestarted, kGivenUp } what;
  int rank;
  int64_t step = 0;  // of the message
  std::string text;  // its payload, or why a process was given up
};

class LinkListener : public ChannelEvents {
 public:
  void OnMessage(int rank, Message message) override {
    std::string payload;
    for (const Frame& frame : message.payload)
      payload.append(static_cast<const char*>(frame.data()), frame.size());
    events.push_back({LinkEvent::kMessage, rank, message.head.step(), payload});
  }
  void OnRestarted(int rank, uint64_t) override {
    events.push_back({LinkEvent::kRestarted, rank, 0, ""});
  }
  void OnGivenUp(int rank, const std::string& text) override {
    events.push_back({LinkEvent::kGivenUp, rank, 0, text});
  }

  // Returns the steps of the messages of a rank.
  std::vector<int64_t> Steps(int rank) const {
    std::vector<int64_t> steps;
    for (const LinkEvent& event : events) {
      if (event.what == LinkEvent::kMessage && event.rank == rank) steps.push_back(event.step);
    }
    return steps;
  }
  int Count(LinkEvent::What what) const {
    int n = 0;
    for (const LinkEvent& event : events) n += event.what == what;
    return n;
  }

  std::vector<LinkEvent> events;
};

// Makes a message that can be told from others.
inline Message Numbered(int64_t step, const std::string& payload = "") {
  Message message;
  message.head.set_type(WireMessage::kUpdate);
  message.head.set_step(step);
  if (!payload.empty()) message.payload = {Frame::Copy(payload.data(), payload.size())};
  return message;
}

inline std::vector<int64_t> Range(int64_t first, int64_t last) {
  std::vector<int64_t> range;
  for (int64_t n = first; n <= last; ++n) range.push_back(n);
  return range;
}

}  // namespace singa
