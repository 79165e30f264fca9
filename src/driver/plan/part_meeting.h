// PartMeeting lets workers' parts of a net that are measured wait for each other where the workers
// of a group wait for each other's regions.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace singa {

// Any thread may use it.
class PartMeeting {
 public:
  explicit PartMeeting(int parts)
      : parts_(parts), arrived_(std::make_unique<std::atomic<int64_t>[]>(parts)) {}

  // Says that part `part` has come to one meeting more.
  void Arrive(int part);
  // Blocks until each part has come to `count` meetings.
  void Await(int64_t count);
  // From now on nobody waits: a part has failed.
  void End();

 private:
  bool AllArrived(int64_t count) const;

  const int parts_;
  std::unique_ptr<std::atomic<int64_t>[]> arrived_;  // meetings of each part
  std::atomic<uint32_t> changed_{0};
  std::atomic<bool> ended_{false};
};

}  // namespace singa
