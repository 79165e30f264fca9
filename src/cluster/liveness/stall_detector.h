// StallDetector: says which worker or server of a process stands still, by their marks. It is given
// the time. One thread uses it.
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
  // Nanoseconds that own work may last without going on, > 0.
  explicit StallDetector(int64_t timeout);

  // `name`: "worker 1 of group 0 in process 1".
  void Add(std::string name, const ActivityMark* mark) {
    watched_.push_back({std::move(name), mark, {}, 0});
  }
  // Between two looks. After a much longer time it was this process that stood still, and nobody
  // is blamed for that.
  int64_t pause() const { return pause_; }

  // Who does its own work and has not gone on for too long, where, and since when; none: nobody.
  // Who waits for others is never named.
  std::optional<std::string> Look(int64_t now);
  // How often all have gone on, together.
  uint64_t progress() const;
  // A line for each: what it does, and for how long. After a Look at the same time.
  std::string Describe(int64_t now) const;

 private:
  struct Watched {
    std::string name;
    const ActivityMark* mark;
    ActivityMark::State seen;
    int64_t since;  // when that was seen first
  };

  const int64_t timeout_, pause_;
  std::vector<Watched> watched_;
  int64_t looked_ = -1;
};

}  // namespace singa
