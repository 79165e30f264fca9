// A GpuGroup is one member's view of GPUs, in one process or several, that add up numbers and send
// each other bytes. Other rooms use it by GpuCollective (comm/collective). One thread uses it.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/thread/progress_deadline.h"
#include "singa/tensor/stream.h"

namespace singa {

// A transfer of bytes to or from another member, in memory of this member's device.
struct GpuTransfer {
  int peer = 0;
  bool sends = false;
  std::byte* bytes = nullptr;
  int64_t size = 0;

  static GpuTransfer OfFloats(int peer, bool sends, float* floats, int64_t n) {
    return {peer, sends, reinterpret_cast<std::byte*>(floats),
            n * static_cast<int64_t>(sizeof(float))};
  }
};
// Rounds floats up to 256 bytes, where the next tensor of a GPU may begin.
constexpr int64_t AlignedForGpu(int64_t floats) { return (floats + 63) / 64 * 64; }

class GpuGroup {
 public:
  virtual ~GpuGroup() = default;
  // Replaces values[n], on the member's device, by their sum over all members, in the order of the
  // stream's work. All members call it, in the same order and with the same n. All get the same
  // bits.
  virtual void Sum(float* values, int64_t n, Stream& stream) = 0;
  virtual void Sum(double* values, int64_t n, Stream& stream) = 0;
  // Gathers the bytes own[n] of each member in all: [members, n]. Both are memory of the device.
  // All members call it.
  virtual void AllGather(const std::byte* own, std::byte* all, int64_t n, Stream& stream) = 0;
  // Replaces bytes[n] of all members by those of `root`. All members call it.
  virtual void Broadcast(int root, std::byte* bytes, int64_t n, Stream& stream) = 0;
  // Starts all transfers together, in the order of the stream's work. Each peer must name the other
  // ends of these transfers in one Exchange. Transfers from one member to another match in order.
  virtual void Exchange(std::span<const GpuTransfer> transfers, Stream& stream) = 0;
  // Blocks until `event`, recorded behind operations, is passed. Throws Stopped when the group is
  // told to stop, Error with kExitStalled when its deadline has ended, and PeerError when another
  // member's process is lost.
  virtual void Await(Event& event) = 0;
};

// Identifies a group. One member makes it and tells the others.
using GpuGroupId = std::array<std::byte, 128>;

// Returns whether the GPUs of this machine can form groups; if not, *why says why.
bool CanGroupGpus(std::string* why);
GpuGroupId NewGpuGroup();
// One member of a group. All members join at the same time, each in its own thread and with its own
// GPU.
struct GpuMember {
  GpuGroupId id;
  int members = 1, member = 0;
  // Is set when another member has failed, so that sums do not come any more. It must outlive the
  // group.
  const std::atomic<bool>* stopped = nullptr;
  // Deadline of waits for other members; null: none. It must outlive the group.
  const ProgressDeadline* deadline = nullptr;
  // Other processes, which may be lost, also have members.
  bool over_processes = false;
};
// Waits for the other members. Throws as GpuGroup::Await does.
std::unique_ptr<GpuGroup> JoinGpuGroup(const GpuMember& member, Gpu* gpu);

// One wait of a member for the others, for implementations of groups.
class GpuGroupWait {
 public:
  // `what`: the thing that is awaited, for the error's text. Both must outlive it.
  GpuGroupWait(const GpuMember& member, const char* what);
  // Checks the limits of the wait, many times a second. Throws Stopped, or Error with kExitStalled.
  void Look();

 private:
  const GpuMember& member_;
  const char* const what_;
  std::optional<ProgressDeadline::Waiting> waiting_;
};

}  // namespace singa
