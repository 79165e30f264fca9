// ProcessLink is the RankLink between the processes of one worker group. It uses messages of the
// job. A rank is the process's place among the group's processes.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <map>
#include <utility>
#include <vector>

#include "base/thread/mutex.h"
#include "base/thread/progress_deadline.h"
#include "cluster/protocol/topology.h"
#include "comm/collective/rank_link.h"
#include "comm/message/message.h"

namespace singa {

class ProcessLink final : public RankLink {
 public:
  // Makes the end of `process`, which has workers of `group`. `out` and `deadline` outlive it.
  ProcessLink(const Topology& topology, int group, int process, Outbox* out,
              const ProgressDeadline* deadline);

  int rank() const override { return process_ - processes_.first; }
  int size() const override { return processes_.size(); }
  // Any thread may call the methods below. These two throw the error that Fail was given.
  void Send(int to, int64_t tag, std::span<const std::byte> bytes) override;
  void Receive(int from, int64_t tag, std::span<std::byte> bytes) override;
  void Reserve(const UnderWay& more) override;

  // Takes a kCollective message from `process`, an authenticated rank. A message that does not fit
  // is dropped. After more bytes that nobody awaits than kMostHeld and what was reserved, each Send
  // and Receive throws.
  void OnMessage(int process, const Message& message);
  // Every Send and Receive throws `error` from now on.
  void Fail(std::exception_ptr error);

 private:
  static constexpr int64_t kMostHeld = int64_t{1} << 26;  // bytes of one process
  static constexpr int64_t kMessageCost = 128;            // bytes that a message takes besides

  const int group_, process_;
  const Range processes_;
  Outbox* const out_;
  const ProgressDeadline& deadline_;
  Mutex mutex_;
  std::condition_variable changed_;
  std::map<std::pair<int, int64_t>, Frame> arrived_ GUARDED_BY(mutex_);  // by process and tag
  std::vector<int64_t> held_ GUARDED_BY(mutex_);                         // bytes of each process
  int64_t most_held_ GUARDED_BY(mutex_) = kMostHeld;
  std::exception_ptr failure_ GUARDED_BY(mutex_);
};

}  // namespace singa
