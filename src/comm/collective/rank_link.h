// RankLink sends messages between the ranks of one group. LinkCollective makes collective
// operations of them, LinkExchange sends regions, and RankSums adds gradients up. ProcessLink
// implements it by messages of this program, and MpiLink by Open MPI. Several threads of a rank may
// use it at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "comm/message/message.h"

namespace singa {

class RankLink {
 public:
  static constexpr int64_t kMostBytes = 1 << 18;  // most bytes of a message

  virtual ~RankLink() = default;
  virtual int rank() const = 0;  // in [0, size())
  virtual int size() const = 0;
  // Sends a copy of `bytes`, kMostBytes or fewer, and does not wait for the receiver. `tag` tells
  // this message from all others between the two ranks, and is used once. A receiver keeps messages
  // that come early, within bounds (ProcessLink: 64 MiB of each rank, and what Reserve adds).
  virtual void Send(int to, int64_t tag, std::span<const std::byte> bytes) = 0;
  // Blocks until the message that `from` sends with `tag` has come. Throws PeerError when it has
  // another number of bytes or the rank is gone, and Error with kExitStalled when it does not come
  // in time.
  virtual void Receive(int from, int64_t tag, std::span<std::byte> bytes) = 0;
  // Sends and receives any number of bytes as at most MessagesOf(bytes) messages, whose tags begin
  // at `first_tag`. Throw as Send and Receive do.
  virtual void SendAll(int to, int64_t first_tag, std::span<const std::byte> bytes);
  virtual void ReceiveAll(int from, int64_t first_tag, std::span<std::byte> bytes);
  // Send and receive several byte strings in this way. Their tags follow each other. The link may
  // keep the frames, which saves a copy. Throw as SendAll and ReceiveAll do.
  virtual void SendEach(int to, int64_t first_tag, const std::vector<Frame>& frames);
  virtual void ReceiveEach(int from, int64_t first_tag, std::span<const std::span<std::byte>> all);
  // Returns the messages that `bytes` bytes take: at least one.
  static int64_t MessagesOf(int64_t bytes);
  // Returns whether a message's memory is no longer read once its receiver has received it. If not,
  // the link may send it again.
  virtual bool sends_once() const { return false; }
  // Blocks until all that was sent has left its memory. Throws as Receive does.
  virtual void AwaitSent() {}
  // The messages that one rank sends before another one receives them.
  struct UnderWay {
    int64_t bytes = 0, messages = 0;
    int64_t tags = 1;  // all tags between the lowest and the highest one
  };
  // Lets each rank have `more` under way to this one, besides what was reserved before. The tags
  // are those of one user of the link. Throws Error with kExitConfig if the link has fewer.
  virtual void Reserve(const UnderWay& more) = 0;
};

}  // namespace singa
