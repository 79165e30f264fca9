#include "comm/collective/mpi_link.h"

#include <glog/logging.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "singa/base/error.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

constexpr std::chrono::microseconds kPause(20);  // between two looks at a message under way
// Large messages are sent in parts, a few of which are under way at a time: where the network is
// slow, each part that has come shows that the sender goes on.
constexpr size_t kMostOfPart = size_t{1} << 22;
constexpr int64_t kPartsAtOnce = 4;

int64_t PartsOf(size_t bytes) {
  return static_cast<int64_t>(std::max<size_t>(1, (bytes + kMostOfPart - 1) / kMostOfPart));
}

template <typename Byte>
std::span<Byte> PartOf(std::span<Byte> bytes, int64_t i) {
  const size_t begin = static_cast<size_t>(i) * kMostOfPart;
  return bytes.subspan(begin, std::min(kMostOfPart, bytes.size() - begin));
}

}  // namespace

MpiLink::~MpiLink() {
  {
    const MutexLock lock(&sending_lock_);
    ends_ = true;
  }
  sends_.notify_all();
  if (carrier_.joinable()) carrier_.join();
}

void MpiLink::Open(MpiWorld* world) {
  if (world->rank() != rank_ || world->size() != size_)
    throw Error(kExitConfig,
                StrCat("MPI says that this is rank ", world->rank(), " of ", world->size(),
                       ", and the job that it is process ", rank_, " of ", size_));
  world_ = world;
  communicator_ = world->NewCommunicator();
  carrier_ = std::thread([this] { CarryOn(); });
}

void MpiLink::CarryOn() {
  try {
    MutexLock lock(&sending_lock_);
    while (!ends_) {
      Reap();
      if (sending_.empty())
        sends_.wait(lock.native());
      else
        sends_.wait_for(lock.native(), kPause);
    }
  } catch (...) {
    Fail(std::current_exception());
  }
}

void MpiLink::CheckFailure() const {
  const MutexLock lock(&failure_lock_);
  if (failure_) std::rethrow_exception(failure_);
}

void MpiLink::Fail(std::exception_ptr error) {
  const MutexLock lock(&failure_lock_);
  if (!failure_) failure_ = std::move(error);
}

// MPI has no wait that a deadline or another thread could end. The pauses keep the processor free
// for workers; the first looks have none, since most messages are there.
void MpiLink::Poll(const std::function<bool()>& done,
                   const std::function<std::string()>& what) const {
  constexpr int kAtOnce = 50;  // looks
  ProgressDeadline::Waiting waiting(deadline_);
  for (int looks = 0; !done(); ++looks) {
    if (looks < kAtOnce) {
      std::this_thread::yield();
      continue;
    }
    CheckFailure();
    if (waiting.Ends()) throw Error(kExitStalled, what());
    std::this_thread::sleep_for(kPause);
  }
}

// Frees the memory of messages that have left it.
void MpiLink::Reap() {
  while (!sending_.empty() && world_->Test(&sending_.front().request)) sending_.pop_front();
}

void MpiLink::Send(int to, int64_t tag, std::span<const std::byte> bytes) {
  CHECK_LE(std::ssize(bytes), kMostBytes);
  SendAll(to, tag, bytes);
}

void MpiLink::SendAllOf(int to, int64_t first_tag, std::vector<std::byte> bytes) {
  CheckFailure();
  const auto memory = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  const std::span<const std::byte> all(*memory);
  for (int64_t i = 0; i < PartsOf(all.size()); ++i) {
    const MutexLock lock(&sending_lock_);
    sending_.push_back(
        {world_->StartSend(communicator_, to, first_tag + i, PartOf(all, i)), memory});
  }
  sent_ += std::ssize(all);
  sends_.notify_all();
}

void MpiLink::Receive(int from, int64_t tag, std::span<std::byte> bytes) {
  ReceiveAll(from, tag, bytes);
}

void MpiLink::ReceiveAll(int from, int64_t first_tag, std::span<std::byte> bytes) {
  std::deque<MpiWorld::Request> under_way;
  const int64_t parts = PartsOf(bytes.size());
  try {
    for (int64_t part = 0, next = 0; part < parts; ++part) {
      for (; next < std::min(parts, part + kPartsAtOnce); ++next)
        under_way.push_back(
            world_->StartReceive(communicator_, from, first_tag + next, PartOf(bytes, next)));
      Await(&under_way.front(), from, PartOf(bytes, part).size());
      under_way.pop_front();
    }
  } catch (...) {
    GiveUp(&under_way);
    throw;
  }
}

// Waits until MPI no longer uses the memory of these messages. One that comes from a process that
// stands still within it does not end: the job ends in its place.
void MpiLink::GiveUp(std::deque<MpiWorld::Request>* requests) {
  constexpr int kLooks = 1000;
  try {
    for (MpiWorld::Request& request : *requests)
      if (request) world_->Cancel(&request);
    for (MpiWorld::Request& request : *requests)
      for (int look = 0; request && look < kLooks && !world_->Test(&request); ++look)
        std::this_thread::sleep_for(kPause);
  } catch (const Error& error) {
    LOG(WARNING) << "MPI does not give up messages: " << error.what();
  }
}

// Blocks until the message of `expected` bytes has come.
void MpiLink::Await(MpiWorld::Request* request, int from, size_t expected) {
  std::optional<int64_t> came;
  Poll([&] { return (came = world_->Test(request)).has_value(); },
       [&] {
         return StrCat("process ", from, " stands still: it has sent no numbers for ",
                       deadline_.longest().count(), " ms");
       });
  if (*came != static_cast<int64_t>(expected))
    throw PeerError(StrCat("process ", from, " sends ", *came,
                           " bytes of numbers where this one expects ", expected));
  received_ += *came;
}

void MpiLink::AwaitSent() {
  Poll(
      [&] {
        const MutexLock lock(&sending_lock_);
        return sending_.empty();
      },
      [] { return std::string("a process does not receive what this one has sent"); });
}

}  // namespace singa
