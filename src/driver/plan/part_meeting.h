// Parts of a net that are measured meet at each bridge. PartMeeting makes each part wait there for
// the others.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>

#include "base/thread/change_count.h"
#include "base/thread/progress_deadline.h"

namespace singa {

// Any thread may use it.
class PartMeeting {
 public:
  // `longest`: of a wait in which no part arrives.
  explicit PartMeeting(int parts, std::chrono::milliseconds longest = std::chrono::minutes(10))
      : parts_(parts),
        deadline_(longest),
        arrived_(std::make_unique<std::atomic<int64_t>[]>(parts)) {}

  // Says that part `part` has come to one meeting more.
  void Arrive(int part);
  // Blocks until each part has come to `count` meetings, or End is called. Throws Error with
  // kExitStalled if the wait takes too long.
  void Await(int64_t count);
  // Ends all waits, now and later.
  void End();

 private:
  bool AllArrived(int64_t count) const;

  const int parts_;
  ProgressDeadline deadline_;
  std::unique_ptr<std::atomic<int64_t>[]> arrived_;  // meetings of each part
  ChangeCount changed_{};
  std::atomic<bool> ended_{false};
};

}  // namespace singa
