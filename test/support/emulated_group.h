// EmulatedGroup: emulated GPUs that add up numbers, in the order of their members, when the work of
// all of them has come so far.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "base/barrier.h"
#include "tensor/gpu_group.h"

namespace singa {

// What its members share.
struct EmulatedMembers {
  explicit EmulatedMembers(int n) : values(n) {}

  // Waits until all members are here.
  void Meet(const std::atomic<bool>& stopped) {
    std::unique_lock lock(mutex);
    const int64_t now = turn;
    if (++here == values.size()) {
      here = 0;
      ++turn;
      changed.notify_all();
    }
    while (turn == now) {
      if (stopped) throw Stopped();
      changed.wait_for(lock, std::chrono::milliseconds(1));
    }
  }

  std::mutex mutex;
  std::condition_variable changed;
  size_t here = 0;
  int64_t turn = 0;
  std::vector<const float*> values;  // of each member
};

class EmulatedGroup final : public GpuGroup {
 public:
  EmulatedGroup(std::shared_ptr<EmulatedMembers> members, const GpuMember& member)
      : members_(std::move(members)), member_(member) {}

  void Sum(float* values, int64_t n, Stream& stream) override {
    stream.Run([members = members_, member = member_, values, n] {
      members->values[member.member] = values;
      members->Meet(*member.stopped);
      std::vector<float> sum(members->values[0], members->values[0] + n);
      for (int m = 1; m < member.members; ++m)
        for (int64_t i = 0; i < n; ++i) sum[i] += members->values[m][i];
      members->Meet(*member.stopped);
      std::copy(sum.begin(), sum.end(), values);
    });
  }
  void Await(Event& event) override { event.Wait(); }

 private:
  const std::shared_ptr<EmulatedMembers> members_;
  const GpuMember member_;
};

inline GpuGroupId NewEmulatedGroup() {
  static std::atomic<int64_t> last{0};
  const int64_t number = ++last;
  GpuGroupId id{};
  std::memcpy(id.data(), &number, sizeof number);
  return id;
}

inline std::unique_ptr<GpuGroup> JoinEmulatedGroup(const GpuMember& member, Gpu*) {
  static std::mutex mutex;
  static std::map<GpuGroupId, std::weak_ptr<EmulatedMembers>> groups;
  const std::lock_guard lock(mutex);
  std::shared_ptr<EmulatedMembers> members = groups[member.id].lock();
  if (!members) groups[member.id] = members = std::make_shared<EmulatedMembers>(member.members);
  return std::make_unique<EmulatedGroup>(members, member);
}

}  // namespace singa
