// GpuGroup: GPUs, of one process or several, that add up numbers among themselves and send each
// other bytes, as one of them sees it. GpuCollective (comm/collective) is its interface for others.
// Used by one thread.
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

// Bytes on their way to or from another member, in memory of this member's device.
struct GpuTransfer {
  int peer = 0;
  bool sends = false;
  std::byte* bytes = nullptr;
  int64_t size = 0;
};

class GpuGroup {
 public:
  virtual ~GpuGroup() = default;
  // Replaces values[n] of the member's device by their sum over all members, in the order of the
  // stream's work. All of them call it, in the same order, with as many; all get the same bits.
  virtual void Sum(float* values, int64_t n, Stream& stream) = 0;
  virtual void Sum(double* values, int64_t n, Stream& stream) = 0;
  // all: [members, n], the bytes own[n] of each member. All of them call it; memory of the device.
  virtual void AllGather(const std::byte* own, std::byte* all, int64_t n, Stream& stream) = 0;
  // Replaces bytes[n] of all members by those of `root`. All of them call it.
  virtual void Broadcast(int root, std::byte* bytes, int64_t n, Stream& stream) = 0;
  // Starts all transfers together, in the order of the stream's work. Each peer names the other end
  // of each transfer in one Exchange. Transfers from one member to another match in order.
  virtual void Exchange(std::span<const GpuTransfer> transfers, Stream& stream) = 0;
  // Waits until `event`, recorded behind operations, is passed. Throws Stopped once the group is
  // told to stop, Error, kExitStalled, once its deadline has ended, PeerError where another
  // member's process is lost.
  virtual void Await(Event& event) = 0;
};

// What tells a group from others. One of its members makes it, and the others are told.
using GpuGroupId = std::array<std::byte, 128>;

// Whether the GPUs of this machine can form groups; if not, *why says why.
bool CanGroupGpus(std::string* why);
GpuGroupId NewGpuGroup();
// One of the members, which all join at the same time, each in a thread and with a GPU of its own.
struct GpuMember {
  GpuGroupId id;
  int members = 1, member = 0;
  // Set where another member has failed: its sums do not come any more. Outlives the group.
  const std::atomic<bool>* stopped = nullptr;
  // Of whoever waits for other members; outlives the group. Null: any.
  const ProgressDeadline* deadline = nullptr;
  // Whether other processes have members, too, and may be lost.
  bool over_processes = false;
};
// Waits for the others. Throws as GpuGroup::Await.
std::unique_ptr<GpuGroup> JoinGpuGroup(const GpuMember& member, Gpu* gpu);

// One wait of a member for the others, for those that implement groups.
class GpuGroupWait {
 public:
  // `what` does not come: for the error's text. Both outlive it.
  GpuGroupWait(const GpuMember& member, const char* what);
  // A look, of which there are many a second. Throws Stopped, or Error, kExitStalled.
  void Look();

 private:
  const GpuMember& member_;
  const char* const what_;
  std::optional<ProgressDeadline::Waiting> waiting_;
};

}  // namespace singa
