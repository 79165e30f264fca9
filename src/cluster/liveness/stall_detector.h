// StallDetector finds a worker or server of this process that stands still, by their ActivityMarks.
// Callers pass the time. One thread uses it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/thread/activity_mark.h"

namespace singa {

class StallDetector {
 public:
  // `timeout`: nanoseconds that a thread's own work may last without progress, > 0.
  explicit StallDetector(int64_t timeout);

  // `name`: for people, such as "worker 1 of group 0 in process 1".
  void Add(std::string name, const ActivityMark* mark) {
    watched_.push_back({std::move(name), mark, {}, 0});
  }
  // Returns the nanoseconds between two looks. If a look comes much later, the whole process stood
  // still, and this time does not count.
  int64_t pause() const { return pause_; }

  // Returns a text about the thread that has done its own work without progress for longest and too
  // long; none if there is no such thread. Threads that wait for others are never named.
  std::optional<std::string> Look(int64_t now);
  // Returns the sum of the progress counts of all marks.
  uint64_t progress() const;
  // Returns a line for each mark: what the thread does, and for how long. REQUIRES: Look(now) was
  // called.
  std::string Describe(int64_t now) const;

 private:
  struct Watched {
    std::string name;
    const ActivityMark* mark;
    ActivityMark::State seen;
    int64_t since;  // when `seen` was first seen
  };

  const int64_t timeout_, pause_;
  std::vector<Watched> watched_;
  int64_t looked_ = -1;
};

}  // namespace singa
