#include "cluster/client/process_link.h"

#include <glog/logging.h>

#include <cstring>

#include "cluster/protocol/addresses.h"
#include "cluster/protocol/seconds.h"
#include "singa/base/error.h"
#include "singa/base/str_cat.h"

namespace singa {

ProcessLink::ProcessLink(const Topology& topology, int group, int process, Outbox* out,
                         const ProgressDeadline* deadline)
    : group_(group),
      process_(process),
      processes_(topology.ProcessesOf(group)),
      out_(out),
      deadline_(*deadline),
      held_(processes_.size()) {}

void ProcessLink::Send(int to, int64_t tag, std::span<const std::byte> bytes) {
  CHECK_LE(std::ssize(bytes), kMostBytes);
  {
    const MutexLock lock(&mutex_);
    if (failure_) std::rethrow_exception(failure_);
  }
  Message message;
  message.head.set_type(WireMessage::kCollective);
  *message.head.mutable_from() = ClientAddress(group_, process_);
  *message.head.mutable_to() = ClientAddress(group_, processes_.first + to);
  message.head.set_step(tag);
  if (!bytes.empty()) message.payload.push_back(Frame::Copy(bytes.data(), bytes.size()));
  out_->Post(std::move(message));
}

void ProcessLink::Receive(int from, int64_t tag, std::span<std::byte> bytes) {
  const int process = processes_.first + from;
  MutexLock lock(&mutex_);
  const bool in_time = deadline_.Wait(&changed_, &lock.native(), [&]() REQUIRES(mutex_) {
    return failure_ || arrived_.contains({process, tag});
  });
  if (failure_) std::rethrow_exception(failure_);
  if (!in_time)
    throw Error(kExitStalled,
                StrCat("process ", process, " stands still: it has sent no numbers for ",
                       Seconds(deadline_.longest())));
  const Frame frame = arrived_.extract({process, tag}).mapped();
  held_[from] -= static_cast<int64_t>(frame.size()) + kMessageCost;
  if (frame.size() != bytes.size())
    throw PeerError(StrCat("process ", process, " sends ", frame.size(),
                           " bytes of numbers where this one expects ", bytes.size()));
  if (!bytes.empty()) std::memcpy(bytes.data(), frame.data(), bytes.size());
}

void ProcessLink::OnMessage(int process, const Message& message) {
  const WireMessage& head = message.head;
  if (!processes_.Has(process) || process == process_ ||
      !SameAddress(head.from(), ClientAddress(group_, process)) ||
      !SameAddress(head.to(), ClientAddress(group_, process_)) || message.payload.size() > 1)
    return;
  const Frame frame = message.payload.empty() ? Frame() : message.payload[0];
  const auto bytes = static_cast<int64_t>(frame.size());
  if (bytes > kMostBytes) return;
  const MutexLock lock(&mutex_);
  int64_t& held = held_[process - processes_.first];
  if (held + bytes + kMessageCost > most_held_) {
    if (!failure_)
      failure_ = std::make_exception_ptr(
          PeerError(StrCat("process ", process, " sends numbers that no worker waits for")));
  } else if (arrived_.try_emplace({process, head.step()}, frame).second) {
    held += bytes + kMessageCost;
  }
  changed_.notify_all();
}

void ProcessLink::Reserve(const UnderWay& more) {
  const MutexLock lock(&mutex_);
  most_held_ += more.bytes + more.messages * kMessageCost;
}

void ProcessLink::Fail(std::exception_ptr error) {
  const MutexLock lock(&mutex_);
  if (!failure_) failure_ = std::move(error);
  changed_.notify_all();
}

}  // namespace singa
