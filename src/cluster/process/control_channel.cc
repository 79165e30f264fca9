#include "cluster/process/control_channel.h"

#include <algorithm>

#include "cluster/protocol/seconds.h"
#include "comm/transport/packet.h"
#include "singa/base/error.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

constexpr size_t kMostState = (size_t{1} << 31) - 1;  // bytes
constexpr size_t kPiece = 256 << 10;                  // bytes

}  // namespace

ControlChannel::ControlChannel(int rank, int processes, Outbox* out,
                               const ProgressDeadline* deadline, std::chrono::seconds start_timeout)
    : rank_(rank),
      processes_(processes),
      out_(*out),
      deadline_(*deadline),
      start_timeout_(start_timeout) {}

void ControlChannel::Send(int rank, const ControlMessage& control) {
  Message message = ControlTo(rank, control);
  const PacketLimits limits;
  if (!Fits(message, limits))
    throw Error(
        kExitConfig,
        StrCat("process ", rank_, " cannot tell the others \"", NameOf(control.kind_case()),
               "\", which has ", control.ByteSizeLong(), " bytes, too many for a packet of ",
               limits.head_bytes, " bytes: the job has too many layers or files of ",
               "checkpoint_path, or their names are too long"));
  out_.Post(std::move(message));
}

void ControlChannel::SendToAll(const ControlMessage& control, int except) {
  for (int rank = 0; rank < processes_; ++rank)
    if (rank != rank_ && rank != except) Send(rank, control);
}

void ControlChannel::SendState(int rank, const std::string& state) {
  if (state.size() > kMostState)
    throw Error(kExitIo, StrCat("the state of process ", rank_, " is too large for a checkpoint, ",
                                state.size() >> 20, " MiB"));
  const auto kept = std::make_shared<const std::string>(state);
  for (size_t begin = 0; begin == 0 || begin < state.size(); begin += kPiece) {
    const size_t size = std::min(kPiece, state.size() - begin);
    const size_t left = state.size() - begin - size;
    ControlMessage control;
    control.mutable_state()->set_pieces_left(static_cast<int64_t>((left + kPiece - 1) / kPiece));
    Message message = ControlTo(rank, std::move(control));
    if (size > 0) message.payload.emplace_back(kept, kept->data() + begin, size);
    out_.Post(std::move(message));
  }
}

void ControlChannel::AddOrder(const ControlMessage& order) {
  const MutexLock lock(&mutex_);
  orders_.push_back(order);
  changed_.notify_all();
}

void ControlChannel::AddAnswer(int rank, const ControlMessage& answer) {
  const MutexLock lock(&mutex_);
  answers_[{answer.kind_case(), rank}] = answer;
  changed_.notify_all();
}

void ControlChannel::AddState(int rank, const Message& piece) {
  const MutexLock lock(&mutex_);
  std::string& state = coming_[rank];
  for (const Frame& frame : piece.payload) {
    if (state.size() + frame.size() > kMostState) {
      if (!failure_)
        failure_ = std::make_exception_ptr(PeerError(
            StrCat("process ", rank, " sends a state of more than ", kMostState >> 20, " MiB")));
      break;
    }
    state.append(static_cast<const char*>(frame.data()), frame.size());
  }
  if (piece.head.control().state().pieces_left() == 0)
    states_[rank] = std::move(coming_.extract(rank).mapped());
  changed_.notify_all();
}

// Waits until process `rank` has sent `what`.
template <typename Done>
void ControlChannel::Await(MutexLock* lock, Wait wait, int rank, const std::string& what,
                           const Done& done) {
  const ProgressDeadline own(
      wait == Wait::kStart ? std::min(deadline_.longest() + start_timeout_, kNoEnd) : kNoEnd);
  const ProgressDeadline& deadline = wait == Wait::kProgress ? deadline_ : own;
  const bool in_time = deadline.Wait(&changed_, &lock->native(),
                                     [&]() REQUIRES(mutex_) { return failure_ || done(); });
  if (failure_) std::rethrow_exception(failure_);
  if (!in_time)
    throw Error(kExitStalled, StrCat("process ", rank, " stands still: no ", what, " from it for ",
                                     Seconds(deadline.longest())));
}

ControlMessage ControlChannel::AwaitOrder(Wait wait) {
  MutexLock lock(&mutex_);
  Await(&lock, wait, 0, "word", [this]() REQUIRES(mutex_) { return !orders_.empty(); });
  ControlMessage order = std::move(orders_.front());
  orders_.pop_front();
  return order;
}

std::vector<ControlMessage> ControlChannel::AwaitAnswers(ControlMessage::KindCase kind, Range ranks,
                                                         Wait wait) {
  MutexLock lock(&mutex_);
  std::vector<ControlMessage> answers;
  for (int rank = ranks.first; rank < ranks.last; ++rank) {
    Await(&lock, wait, rank, NameOf(kind), [&]() REQUIRES(mutex_) {
      return answers_.count({kind, rank}) > 0;
    });
    answers.push_back(answers_.extract({kind, rank}).mapped());
  }
  return answers;
}

std::vector<std::string> ControlChannel::AwaitStates(Range ranks) {
  MutexLock lock(&mutex_);
  std::vector<std::string> all;
  for (int rank = ranks.first; rank < ranks.last; ++rank) {
    Await(&lock, Wait::kProgress, rank, NameOf(ControlMessage::kState),
          [&]() REQUIRES(mutex_) { return states_.count(rank) > 0; });
    all.push_back(std::move(states_.extract(rank).mapped()));
  }
  return all;
}

void ControlChannel::Fail(std::exception_ptr error) {
  const MutexLock lock(&mutex_);
  if (!failure_) failure_ = std::move(error);
  changed_.notify_all();
}

bool ControlChannel::failed() {
  const MutexLock lock(&mutex_);
  return failure_ != nullptr;
}

void ControlChannel::Check() {
  const MutexLock lock(&mutex_);
  if (failure_) std::rethrow_exception(failure_);
}

// The wait needs no limit: a process that fails tells it, watchdogs find one that stands still, and
// the stub finds one that is gone.
void ControlChannel::AwaitFailure() {
  MutexLock lock(&mutex_);
  changed_.wait(lock.native(), [this]() REQUIRES(mutex_) { return failure_ != nullptr; });
  std::rethrow_exception(failure_);
}

}  // namespace singa
