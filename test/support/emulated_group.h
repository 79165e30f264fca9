// EmulatedGroup is a group of emulated GPUs, in one process or several of this host. It adds up
// numbers in the order of the members' SumTree, when the work of all members has come so far. The
// sums are made in shared memory, which is freed with the last of the processes, however they end.
// Once the group has stopped, or this member has left it, sums under way do nothing.
#pragma once

#include <fcntl.h>
#include <glog/logging.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/system/descriptor.h"
#include "base/thread/futex.h"
#include "math/reduction/sum_tree.h"
#include "singa/base/error.h"
#include "tensor/gpu/gpu_group.h"

namespace singa {

// EmulatedMembers is the memory that the members share. All of it is 0 at first.
class EmulatedMembers {
 public:
  static constexpr int kMost = 16;
  static constexpr int64_t kBytesOfSum = int64_t{1} << 24;

  // NewEmulatedGroup tells members this place.
  struct Place {
    int64_t process = 0, descriptor = 0;
  };

  explicit EmulatedMembers(const Place& place) {
    const std::string path = StrCat("/proc/", place.process, "/fd/", place.descriptor);
    const Descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    void* const memory =
        ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file.get(), 0);
    if (memory == MAP_FAILED) throw PeerError("the group's first process is gone");
    numbers_ = static_cast<Numbers*>(memory);
  }
  ~EmulatedMembers() { ::munmap(numbers_, kBytes); }
  EmulatedMembers(const EmulatedMembers&) = delete;

  // Waits until all members are here.
  void Meet(const GpuMember& member, const char* what) {
    const uint32_t now = numbers_->turn;
    if (++numbers_->here == static_cast<uint32_t>(member.members)) {
      numbers_->here = 0;
      ++numbers_->turn;
      FutexWakeAll(numbers_->turn);
    }
    GpuGroupWait wait(member, what);
    for (; numbers_->turn == now; FutexWait(numbers_->turn, now)) wait.Look();
  }
  // Takes a member out of the group, and waits until all have left or the group has stopped.
  // Returns false if that takes longer than `longest`.
  bool Leave(const GpuMember& member, std::chrono::seconds longest) {
    ++numbers_->left;
    FutexWakeAll(numbers_->left);
    const auto end = std::chrono::steady_clock::now() + longest;
    for (uint32_t left = numbers_->left; left < static_cast<uint32_t>(member.members);
         left = numbers_->left) {
      if (*member.stopped) return true;
      if (std::chrono::steady_clock::now() > end) return false;
      FutexWait(numbers_->left, left);
    }
    return true;
  }
  // Moves the bytes of a member's `transfers` until all are done: the chunks are in the memory of
  // sums.
  void Exchange(const GpuMember& member, std::vector<GpuTransfer> transfers) {
    GpuGroupWait wait(member, "a message");
    while (!transfers.empty() || !AllTaken(member)) {
      const uint32_t moved = numbers_->moved;
      for (size_t i = 0; i < transfers.size(); ++i) {
        const GpuTransfer one = transfers[i];
        const auto alike = [&](const GpuTransfer& before) {
          return before.peer == one.peer && before.sends == one.sends;
        };
        if (std::any_of(transfers.begin(), transfers.begin() + static_cast<int64_t>(i), alike))
          continue;
        if (GoOn(member.member, &transfers[i]) && transfers[i].size == 0)
          transfers.erase(transfers.begin() + static_cast<int64_t>(i--));
      }
      wait.Look();
      if (!transfers.empty() || !AllTaken(member)) FutexWait(numbers_->moved, moved);
    }
  }
  // Returns the numbers that a member adds.
  template <typename T>
  T* values(int member) {
    return reinterpret_cast<T*>(reinterpret_cast<char*>(numbers_) + kHead + member * kBytesOfSum);
  }

  static constexpr int64_t kHead = 4096, kBytes = kHead + kMost * kBytesOfSum;

 private:
  static constexpr int64_t kBytesOfPair = kBytesOfSum / kMost;

  struct Numbers {
    std::atomic<uint32_t> here, turn, left;
    std::atomic<uint32_t> moved;  // chunks that were sent or taken
    std::atomic<uint32_t> sent[kMost][kMost], taken[kMost][kMost];  // from, to
  };
  static_assert(sizeof(Numbers) <= kHead);

  // Returns whether the others have taken all that a member has sent.
  bool AllTaken(const GpuMember& member) const {
    for (int to = 0; to < member.members; ++to)
      if (numbers_->sent[member.member][to] != numbers_->taken[member.member][to]) return false;
    return true;
  }
  // Moves one chunk. Returns false if the peer has to do something first.
  bool GoOn(int member, GpuTransfer* one) {
    const int from = one->sends ? member : one->peer, to = one->sends ? one->peer : member;
    std::atomic<uint32_t>&sent = numbers_->sent[from][to], &taken = numbers_->taken[from][to];
    if (one->sends ? sent != taken : sent == taken) return false;
    std::byte* const chunk = values<std::byte>(from) + to * kBytesOfPair;
    const int64_t size = std::min(one->size, kBytesOfPair);
    std::memcpy(one->sends ? chunk : one->bytes, one->sends ? one->bytes : chunk, size);
    one->bytes += size;
    one->size -= size;
    ++(one->sends ? sent : taken);
    ++numbers_->moved;
    FutexWakeAll(numbers_->moved);
    return true;
  }

  Numbers* numbers_ = nullptr;
};

class EmulatedGroup final : public GpuGroup {
 public:
  EmulatedGroup(std::shared_ptr<EmulatedMembers> members, const GpuMember& member)
      : members_(std::move(members)), member_(member) {
    members_->Meet(member_, "the communicator");
  }
  // Members wait for each other here, as members of one host do with NCCL.
  ~EmulatedGroup() override {
    CHECK(members_->Leave(member_, std::chrono::seconds(60))) << "other members do not leave";
    *ended_ = true;
  }

  void Sum(float* values, int64_t n, Stream& stream) override { SumOf(values, n, stream); }
  void Sum(double* values, int64_t n, Stream& stream) override { SumOf(values, n, stream); }
  void AllGather(const std::byte* own, std::byte* all, int64_t n, Stream& stream) override {
    RunTogether(stream, [member = member_, own, all, n](EmulatedMembers& members, auto meet) {
      std::copy_n(own, n, members.values<std::byte>(member.member));
      meet();
      for (int m = 0; m < member.members; ++m)
        std::copy_n(members.values<std::byte>(m), n, all + m * n);
    });
  }
  void Broadcast(int root, std::byte* bytes, int64_t n, Stream& stream) override {
    RunTogether(stream, [member = member_, root, bytes, n](EmulatedMembers& members, auto meet) {
      if (member.member == root) std::copy_n(bytes, n, members.values<std::byte>(root));
      meet();
      std::copy_n(members.values<std::byte>(root), n, bytes);
    });
  }
  void Exchange(std::span<const GpuTransfer> transfers, Stream& stream) override {
    stream.Run([members = members_, member = member_, ended = ended_,
                all = std::vector<GpuTransfer>(transfers.begin(), transfers.end())] {
      if (!*ended) members->Exchange(member, all);
    });
  }
  void Await(Event& event) override {
    GpuGroupWait wait(member_, "a sum");
    const GpuFault::Meanwhile looks([&] { wait.Look(); });
    event.Wait();
  }

 private:
  template <typename T>
  void SumOf(T* values, int64_t n, Stream& stream) {
    CHECK_LE(n * static_cast<int64_t>(sizeof(T)), EmulatedMembers::kBytesOfSum);
    RunTogether(stream, [member = member_, values, n](EmulatedMembers& members, auto meet) {
      std::copy_n(values, n, members.values<T>(member.member));
      meet();
      AddUpWorkers(
          SumNode{0, member.members}, [&](int m) { return members.values<T>(m); }, n, values);
    });
  }

  // Runs work(members, meet) in the order of the member's stream. meet() waits for all members.
  template <typename Work>
  void RunTogether(Stream& stream, const Work& work) {
    stream.Run([members = members_, member = member_, ended = ended_, work] {
      if (*ended) return;
      const auto meet = [&] {
        try {
          members->Meet(member, "a sum");
        } catch (...) {
          *ended = true;
          throw;
        }
      };
      work(*members, meet);
      meet();
    });
  }

  const std::shared_ptr<EmulatedMembers> members_;
  const GpuMember member_;
  const std::shared_ptr<bool> ended_ = std::make_shared<bool>(false);
};

// The group's memory exists as long as this process, or a member.
inline GpuGroupId NewEmulatedGroup() {
  static std::vector<Descriptor> files;
  files.emplace_back(::memfd_create("emulated-group", MFD_CLOEXEC));
  CHECK_EQ(::ftruncate(files.back().get(), EmulatedMembers::kBytes), 0);
  const EmulatedMembers::Place place = {::getpid(), files.back().get()};
  GpuGroupId id{};
  std::memcpy(id.data(), &place, sizeof place);
  return id;
}

inline std::unique_ptr<GpuGroup> JoinEmulatedGroup(const GpuMember& member, Gpu*) {
  EmulatedMembers::Place place;
  std::memcpy(&place, member.id.data(), sizeof place);
  CHECK_LE(member.members, EmulatedMembers::kMost);
  return std::make_unique<EmulatedGroup>(std::make_shared<EmulatedMembers>(place), member);
}

}  // namespace singa
