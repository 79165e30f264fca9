// ReliableChannel delivers messages exactly once and in order between each pair of processes of a
// job, over a transport that may lose, repeat and reorder packets. proto/README.md has the rules.
// One thread uses it, the stub's. It neither waits nor sleeps: its owner calls OnTime when that is
// due.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "base/thread/clock.h"
#include "comm/transport/handshake.h"
#include "comm/transport/packet.h"
#include "comm/transport/send_queue.h"
#include "comm/transport/transport.h"

namespace singa {

// Identifies this process and its job.
struct ProcessIdentity {
  std::string job;  // kJobIdBytes random bytes, the same in all processes
  int rank = 0, ranks = 1;
  uint64_t incarnation = 0;  // random, not 0, never the same for another process
};

// Times in nanoseconds.
struct ChannelOptions {
  int64_t first_resend = 200'000'000;  // after the last progress; doubles with each resend
  int64_t max_resend = 2'000'000'000;  // upper limit of the doubling
  int64_t ack_delay = 5'000'000;       // longest time until a message is acknowledged
  int ack_every = 16;                  // messages that are acknowledged at once
  int64_t give_up = 60'000'000'000;    // time without progress; 0: never
  int64_t window_messages = 1024;      // in flight to one process
  int64_t window_bytes = 64ll << 20;   // in flight to one process; one message may be larger
  PacketLimits limits;
};

// ChannelEvents receives a channel's messages and news. Its methods may call Send, but not
// OnPacket, OnConnected or OnTime.
class ChannelEvents {
 public:
  virtual ~ChannelEvents() = default;
  virtual void OnMessage(int rank, Message message) = 0;
  // A new process has the place of `rank`. Messages from the old one that have not arrived are
  // lost, and messages to it are dropped. Messages sent from now on go to the new one.
  virtual void OnRestarted(int rank, uint64_t incarnation) = 0;
  // The process of `rank` has not answered for ChannelOptions::give_up. Messages to it are dropped
  // until it restarts.
  virtual void OnGivenUp(int rank, const std::string& text) = 0;
};

// Totals of all ranks since the beginning.
struct ChannelCounters {
  int64_t sent = 0, sent_bytes = 0;  // messages, once each; bytes of header and payload
  int64_t resent = 0;
  int64_t delivered = 0, delivered_bytes = 0;
  int64_t spoken = 0;        // packets without a message: acknowledgements, challenges, answers
  int64_t blocked = 0;       // packets that the transport did not take
  int64_t duplicates = 0;    // messages that had arrived before
  int64_t out_of_order = 0;  // messages before which others are missing
  int64_t dropped = 0;       // messages to a process that was replaced or given up
  int64_t restarts = 0, given_up = 0;
  std::array<int64_t, kRefusals> refused{};
};

class ReliableChannel final : public TransportEvents {
 public:
  static constexpr int64_t kNever = INT64_MAX;

  ReliableChannel(ProcessIdentity self, Transport* transport, const Clock* clock,
                  ChannelEvents* events, const ChannelOptions& options = {});

  // Queues a message. The next OnTime delivers a message to the own rank. REQUIRES: 0 <= rank <
  // ranks, and the message is within the limits.
  void Send(int rank, Message message);
  void OnPacket(int rank, Packet packet) override;
  void OnConnected(int rank) override;
  // Does the work that is due, and returns the latest time of the next call. The methods above may
  // bring this time forward: call OnTime after them, before waiting.
  int64_t OnTime();

  // Returns the number of messages to `rank` that are not acknowledged. Tests check its bounds.
  int64_t Queued(int rank) const { return peers_[rank].queue.messages(); }
  // Returns whether nothing is queued and no acknowledgement is owed.
  bool Quiet() const;
  // Returns when the accepted incarnation of `rank` was last heard; -1: never.
  int64_t LastHeard(int rank) const { return peers_[rank].last_heard; }
  // Returns the incarnation that messages to `rank` go to; 0: none is known. Tests judge by it
  // whom a message was meant for.
  uint64_t Incarnation(int rank) const { return peers_[rank].handshake.incarnation(); }
  const ChannelCounters& counters() const { return counters_; }

 private:
  struct Peer {
    explicit Peer(const ChannelOptions& options)
        : queue(options.window_messages, options.window_bytes), backoff(options.first_resend) {}

    Handshake handshake;
    bool given_up = false;
    uint64_t received = 0;  // number of the last message that was delivered
    int owed = 0;           // messages since the last acknowledgement
    SendQueue queue;
    int64_t speak_at = kNever;   // when a packet without a message is due
    int64_t resend_at = kNever;  // when the queue's oldest message, or a hello, is due again
    int64_t backoff;
    int64_t progress_at = 0;  // when the queue last was empty or became shorter
    int64_t greeted_at = INT64_MIN / 2;
    int64_t last_heard = -1;
    std::string last_refusal;
  };

  // Returns kNone if the packet is to be applied. Its sender is then the accepted incarnation.
  Refusal Judge(int rank, const PacketHeader& header);
  void Refuse(int rank, Refusal refusal, const std::string& text);
  void TookOn(int rank, bool restarted);
  void Apply(int rank, DecodedPacket packet);
  void Receive(int rank, DecodedPacket packet);

  void Pump(int rank);
  void Speak(int rank);
  void Greet(Peer* peer);
  bool Transmit(int rank, PacketHeader* header, const std::vector<Frame>& payload);
  bool TransmitToKnown(int rank, PacketHeader* header, const std::vector<Frame>& payload);
  void Serve(int rank);
  void GiveUp(int rank);
  void Drop(Peer* peer);
  void DeliverOwn();
  int64_t Due(const Peer& peer) const;
  void Schedule(const Peer& peer) { due_ = std::min(due_, Due(peer)); }

  ProcessIdentity self_;
  Transport* transport_;
  const Clock* clock_;
  ChannelEvents* events_;
  ChannelOptions options_;
  std::vector<Peer> peers_;  // by rank
  std::deque<Message> own_;  // messages to this process
  int64_t due_ = kNever;     // earliest time at which a peer has work
  ChannelCounters counters_;
};

}  // namespace singa
