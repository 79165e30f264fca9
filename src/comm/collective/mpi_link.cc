#include "comm/collective/mpi_link.h"

#include <glog/logging.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "base/thread/thread.h"
#include "singa/base/error.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

constexpr std::chrono::microseconds kShortPause(20), kLongPause(100);
// Large messages are sent in parts, some of which are under way at a time: where the network is
// slow, each part that has come shows that the sender goes on.
constexpr size_t kMostOfPart = size_t{1} << 22, kMostUnderWay = size_t{1} << 24;  // bytes

// The pauses between looks at what is under way. They grow, so that a long wait takes little of the
// processor.
class Pauses {
 public:
  std::chrono::microseconds Next() { return std::exchange(next_, std::min(2 * next_, kLongPause)); }

 private:
  std::chrono::microseconds next_ = kShortPause;
};

template <typename Byte>
struct Part {
  int64_t tag = 0;
  std::span<Byte> bytes;
};

// Appends the parts of a message, at least one.
template <typename Byte>
void AppendParts(int64_t first_tag, std::span<Byte> bytes, std::vector<Part<Byte>>* parts) {
  size_t begin = 0;
  do {
    const size_t size = std::min(kMostOfPart, bytes.size() - begin);
    parts->push_back({first_tag++, bytes.subspan(begin, size)});
    begin += size;
  } while (begin < bytes.size());
}

}  // namespace

void MpiLink::Close() {
  {
    const MutexLock lock(&sending_lock_);
    ends_ = true;
  }
  sends_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void MpiLink::Open(MpiWorld* world) {
  if (world->rank() != rank_ || world->size() != size_)
    throw Error(kExitConfig,
                StrCat("MPI says that this is rank ", world->rank(), " of ", world->size(),
                       ", and the job that it is process ", rank_, " of ", size_));
  world_ = world;
  CheckTags();
  for (MpiWorld::Communicator& one : communicators_) one = world->NewCommunicator();
  if (carrier_ == Carrier::kOwnThread) thread_ = StartThread([this] { CarryOn(); });
}

void MpiLink::Reserve(const UnderWay& more) {
  tags_ = std::max(tags_, more.tags);
  if (world_) CheckTags();
}

// The tags of a user repeat after as many as MPI has. A message must not have the tag of another
// one that is under way.
void MpiLink::CheckTags() const {
  if (tags_ > world_->tags())
    throw Error(kExitConfig,
                StrCat("MPI has ", world_->tags(), " tags for messages, and the job needs ", tags_,
                       ": use servers (cluster.all_reduce.backend: kServers), or "
                       "another transport of MPI, such as mpirun --mca pml ob1"));
}

// A thread that receives makes progress for all messages, so this one seldom has to look.
void MpiLink::CarryOn() {
  constexpr std::chrono::microseconds kPause(250);
  try {
    MutexLock lock(&sending_lock_);
    while (!ends_) {
      sends_.wait(lock.native(),
                  [&]() REQUIRES(sending_lock_) { return ends_ || !sending_.empty(); });
      sends_.wait_for(lock.native(), kPause, [&]() REQUIRES(sending_lock_) { return ends_; });
      Reap();
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
  Pauses pauses;
  for (int looks = 0; !done(); ++looks) {
    if (looks < kAtOnce) {
      std::this_thread::yield();
      continue;
    }
    CheckFailure();
    if (waiting.Ends()) throw Error(kExitStalled, what());
    std::this_thread::sleep_for(pauses.Next());
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

void MpiLink::SendEach(int to, int64_t first_tag, const std::vector<Frame>& frames) {
  CheckFailure();
  for (const Frame& frame : frames) {
    std::vector<Part<const std::byte>> parts;
    AppendParts(first_tag, frame.bytes(), &parts);
    const MutexLock lock(&sending_lock_);
    if (sending_.empty()) sends_.notify_one();
    for (const Part<const std::byte>& part : parts)
      sending_.push_back(
          {world_->StartSend(CommunicatorOf(part.tag), to, part.tag, part.bytes), frame});
    first_tag += MessagesOf(std::ssize(frame.bytes()));
    sent_ += std::ssize(frame.bytes());
  }
}

void MpiLink::Receive(int from, int64_t tag, std::span<std::byte> bytes) {
  ReceiveAll(from, tag, bytes);
}

void MpiLink::ReceiveEach(int from, int64_t first_tag, std::span<const std::span<std::byte>> all) {
  std::vector<Part<std::byte>> parts;
  for (const std::span<std::byte> bytes : all) {
    AppendParts(first_tag, bytes, &parts);
    first_tag += MessagesOf(std::ssize(bytes));
  }
  std::deque<Receiving> under_way;
  size_t next = 0, bytes = 0;  // under way
  try {
    for (size_t part = 0; part < parts.size(); ++part) {
      for (; next < parts.size() && (next == part || bytes < kMostUnderWay); ++next) {
        const auto& [tag, to] = parts[next];
        under_way.push_back({world_->StartReceive(CommunicatorOf(tag), from, tag, to), to.size()});
        bytes += to.size();
      }
      Await(&under_way.front(), from);
      bytes -= under_way.front().bytes;
      under_way.pop_front();
    }
  } catch (...) {
    GiveUp(&under_way);
    throw;
  }
}

// Waits until MPI no longer uses the memory of these messages. If a sender stops in the middle of a
// message, its receive never completes; the job then ends.
void MpiLink::GiveUp(std::deque<Receiving>* under_way) {
  constexpr int kLooks = 1000;
  try {
    for (Receiving& one : *under_way)
      if (one.request) world_->Cancel(&one.request);
    for (Receiving& one : *under_way)
      for (int look = 0; one.request && look < kLooks && !world_->Test(&one.request); ++look)
        std::this_thread::sleep_for(kShortPause);
  } catch (const Error& error) {
    LOG(WARNING) << "MPI does not give up messages: " << error.what();
  }
}

// Blocks until the message has come.
void MpiLink::Await(Receiving* receiving, int from) {
  std::optional<int64_t> came;
  Poll([&] { return (came = world_->Test(&receiving->request)).has_value(); },
       [&] {
         return StrCat("process ", from, " stands still: it has sent no numbers for ",
                       deadline_.longest().count(), " ms");
       });
  if (*came != static_cast<int64_t>(receiving->bytes))
    throw PeerError(StrCat("process ", from, " sends ", *came,
                           " bytes of numbers where this one expects ", receiving->bytes));
  received_ += *came;
  const MutexLock lock(&sending_lock_);
  Reap();
}

void MpiLink::AwaitSent() {
  Poll(
      [&] {
        const MutexLock lock(&sending_lock_);
        Reap();
        return sending_.empty();
      },
      [] { return std::string("a process does not receive what this one has sent"); });
}

}  // namespace singa
