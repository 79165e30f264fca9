// MpiLink is the RankLink between the processes that mpirun has started. MPI carries a large
// message only while its sender calls MPI.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/thread/mutex.h"
#include "base/thread/progress_deadline.h"
#include "comm/collective/link_tags.h"
#include "comm/collective/mpi_world.h"
#include "comm/collective/rank_link.h"

namespace singa {

class MpiLink final : public RankLink {
 public:
  // The threads that call MPI while messages are under way.
  enum class Carrier {
    kOwnThread,  // a thread of the link
    kSender,     // a thread that has sent calls AwaitSent before it computes
  };
  // `deadline` must outlive the link.
  MpiLink(int rank, int size, Carrier carrier, const ProgressDeadline* deadline)
      : rank_(rank), size_(size), carrier_(carrier), deadline_(*deadline) {}
  ~MpiLink() override { Close(); }

  // Connects the ranks. All ranks open their links in the same order. `world` must outlive it.
  // Throws Error with kExitConfig if MPI counts the ranks in another way, or has fewer tags than
  // were reserved.
  void Open(MpiWorld* world);

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  // These throw the error that Fail was given. REQUIRES: Open was called.
  void Send(int to, int64_t tag, std::span<const std::byte> bytes) override;
  void Receive(int from, int64_t tag, std::span<std::byte> bytes) override;
  // These send and receive large messages.
  void SendAll(int to, int64_t first_tag, std::span<const std::byte> bytes) override {
    SendEach(to, first_tag, {Frame::Copy(bytes.data(), bytes.size())});
  }
  void ReceiveAll(int from, int64_t first_tag, std::span<std::byte> bytes) override {
    ReceiveEach(from, first_tag, {&bytes, 1});
  }
  void SendEach(int to, int64_t first_tag, const std::vector<Frame>& frames) override;
  void ReceiveEach(int from, int64_t first_tag, std::span<const std::span<std::byte>> all) override;
  bool sends_once() const override { return true; }
  void AwaitSent() override;
  // MPI keeps what comes early. Its tags are counted when the link opens.
  void Reserve(const UnderWay& more) override;

  // Returns the bytes that were sent and received.
  int64_t sent() const { return sent_; }
  int64_t received() const { return received_; }
  // Every Send and Receive throws `error` from now on. Any thread may call it.
  void Fail(std::exception_ptr error);
  // Ends the link's thread. The link then reads no more of the memory of messages.
  void Close();

 private:
  struct Sending {
    MpiWorld::Request request;
    Frame memory;
  };

  struct Receiving {
    MpiWorld::Request request;
    size_t bytes = 0;
  };

  MpiWorld::Communicator CommunicatorOf(int64_t tag) const {
    return communicators_[tag >> kUserShift];
  }
  void CheckTags() const;
  void Await(Receiving* receiving, int from);
  void GiveUp(std::deque<Receiving>* under_way);
  void CheckFailure() const;
  void CarryOn();
  void Reap() REQUIRES(sending_lock_);
  // Looks again and again until done(). Throws if the deadline, or the job, ends before.
  void Poll(const std::function<bool()>& done, const std::function<std::string()>& what) const;

  const int rank_, size_;
  const Carrier carrier_;
  const ProgressDeadline& deadline_;
  MpiWorld* world_ = nullptr;
  int64_t tags_ = 1;                                                  // most that are reserved
  std::array<MpiWorld::Communicator, kTagUsers> communicators_ = {};  // of each user of tags
  std::atomic<int64_t> sent_{0}, received_{0};
  Mutex sending_lock_;
  std::condition_variable sends_;
  std::deque<Sending> sending_ GUARDED_BY(sending_lock_);
  bool ends_ GUARDED_BY(sending_lock_) = false;
  mutable Mutex failure_lock_;
  std::exception_ptr failure_ GUARDED_BY(failure_lock_);
  std::thread thread_;  // runs CarryOn, once the link is open; none: senders carry
};

}  // namespace singa
