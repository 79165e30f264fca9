// LinkLedger records the messages that processes of a simulated network send each other. It checks
// that each message arrives once, in order, whole, and at the right process. Chatter is a process
// that keeps sending at random times.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/sim_channel.h"

namespace singa {

class LinkLedger {
 public:
  // Records and returns a message from process `from` to `rank`. `meant`: the process of `rank`
  // that `from` knows; 0: none.
  Message Sent(uint64_t from, int rank, uint64_t meant, int64_t payload_bytes) {
    std::vector<uint64_t>& sent = sent_[{from, rank}];
    sent.push_back(meant);
    Message message;
    message.head.set_type(WireMessage::kUpdate);
    message.head.set_step(static_cast<int64_t>(sent.size()));
    message.head.add_text(std::to_string(from));
    const std::string text = Payload(from, sent.size(), payload_bytes);
    if (!text.empty()) message.payload = {Frame::Copy(text.data(), text.size())};
    ++total_sent;
    return message;
  }

  // Checks a message that arrived at process `at` of `rank`. `known`: the sender that this process
  // knows.
  void Arrived(uint64_t at, int rank, uint64_t known, const Message& message) {
    const uint64_t from = message.head.text_size() == 1 ? std::stoull(message.head.text(0)) : 0;
    const auto number = static_cast<uint64_t>(message.head.step());
    EXPECT_EQ(from, known) << "a message of a process that the receiver does not know";
    const std::vector<uint64_t>& sent = sent_[{from, rank}];
    ASSERT_TRUE(number >= 1 && number <= sent.size()) << "message " << number << " was never sent";
    const uint64_t meant = sent[number - 1];
    EXPECT_TRUE(meant == 0 || meant == at) << "it was meant for the process before";
    std::string payload;
    for (const Frame& frame : message.payload)
      payload.append(static_cast<const char*>(frame.data()), frame.size());
    EXPECT_EQ(payload, Payload(from, number, static_cast<int64_t>(payload.size())));

    // Messages to one process have no gap. No message of one process arrives twice, even at
    // different processes.
    const auto [last, first_time] = last_.try_emplace({from, at}, number);
    if (!first_time) {
      EXPECT_EQ(number, ++last->second) << "a gap";
    }
    EXPECT_GT(number, (highest_[{from, rank}])) << "again";
    highest_[{from, rank}] = number;
    ++total_arrived;
  }

  void Born(uint64_t incarnation) { births_.emplace(incarnation, births_.size()); }
  bool Younger(uint64_t a, uint64_t b) { return births_.at(a) > births_.at(b); }
  // Returns whether the last message that `from` sent to `rank` has arrived there.
  bool Complete(uint64_t from, int rank) { return highest_[{from, rank}] == SentTo(from, rank); }
  uint64_t SentTo(uint64_t from, int rank) { return sent_[{from, rank}].size(); }

  int64_t total_sent = 0, total_arrived = 0;

 private:
  static std::string Payload(uint64_t from, uint64_t number, int64_t bytes) {
    std::string text(bytes, '\0');
    for (int64_t i = 0; i < bytes; ++i) text[i] = static_cast<char>(from * 31 + number * 7 + i);
    return text;
  }

  std::map<std::pair<uint64_t, int>, std::vector<uint64_t>> sent_;  // by sender, rank: for whom
  std::map<std::pair<uint64_t, int>, uint64_t> highest_;            // highest number that arrived
  std::map<std::pair<uint64_t, uint64_t>, uint64_t> last_;          // by sender and receiver
  std::map<uint64_t, size_t> births_;
};

class Chatter final : public SimChannelProcess {
 public:
  Chatter(const SimStart& start, SimSchedule* schedule, LinkLedger* ledger,
          const ChannelOptions& options)
      : SimChannelProcess(start, options), start_(start), schedule_(schedule), ledger_(ledger) {
    ledger_->Born(start.incarnation);
    known_.resize(start.ranks);
  }

  // Sends `messages` more messages, in bursts.
  void Talk(int messages) { left_ += messages; }
  void SendOne(int rank) {
    const int64_t bytes = schedule_->Happens(0.3) ? schedule_->Between(1, 300) : 0;
    const uint64_t meant = rank == start_.rank ? start_.incarnation : channel.Incarnation(rank);
    channel.Send(rank, ledger_->Sent(start_.incarnation, rank, meant, bytes));
  }
  uint64_t incarnation() const { return start_.incarnation; }
  bool silent() const { return left_ == 0; }

  void OnMessage(int rank, Message message) override {
    const uint64_t known = rank == start_.rank ? start_.incarnation : channel.Incarnation(rank);
    if (rank != start_.rank) Meet(rank, known);
    ledger_->Arrived(start_.incarnation, start_.rank, known, message);
    if (left_ > 0 && schedule_->Happens(0.3)) {  // also from within a handler
      --left_;
      SendOne(rank);
    }
  }
  void OnRestarted(int rank, uint64_t incarnation) override {
    EXPECT_EQ(incarnation, channel.Incarnation(rank));
    Meet(rank, incarnation);
  }

  int64_t OnTime() override {
    if (left_ > 0 && schedule_->clock.now >= next_burst_) {
      for (int n = schedule_->Between(1, 8); n > 0 && left_ > 0; --n, --left_)
        SendOne(static_cast<int>(schedule_->Between(0, start_.ranks - 1)));
      next_burst_ = schedule_->clock.now + schedule_->Between(0, 300 * kSimMillisecond);
    }
    const int64_t due = channel.OnTime();
    return left_ > 0 ? std::min(due, next_burst_) : due;
  }

 private:
  // Checks that each new incarnation is younger than the one before.
  void Meet(int rank, uint64_t incarnation) {
    if (known_[rank] != 0 && known_[rank] != incarnation) {
      EXPECT_TRUE(ledger_->Younger(incarnation, known_[rank])) << "an older process came back";
    }
    known_[rank] = incarnation;
  }

  SimStart start_;
  SimSchedule* schedule_;
  LinkLedger* ledger_;
  std::vector<uint64_t> known_;
  int left_ = 0;
  int64_t next_burst_ = 0;
};

}  // namespace singa
