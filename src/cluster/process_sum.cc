#include "cluster/process_sum.h"

#include <algorithm>

#include "cluster/addresses.h"
#include "cluster/seconds.h"
#include "singa/base/error.h"

namespace singa {
namespace {

constexpr size_t kMostNumbers = 4096;

}  // namespace

ProcessSum::ProcessSum(const Topology& topology, int group, int process, Outbox* out,
                       const Patience* patience)
    : group_(group),
      process_(process),
      processes_(topology.ProcessesOf(group)),
      out_(out),
      patience_(*patience) {}

void ProcessSum::Send(WireMessage::Type type, int process, std::span<const double> values) {
  Message message;
  message.head.set_type(type);
  *message.head.mutable_from() = ClientAddress(group_, process_);
  *message.head.mutable_to() = ClientAddress(group_, process);
  message.head.set_step(turn_);
  message.head.mutable_number()->Add(values.begin(), values.end());
  out_->Post(std::move(message));
}

void ProcessSum::Await(std::unique_lock<std::mutex>* lock, size_t messages) {
  const bool in_time =
      patience_.Wait(&changed_, lock, [&] { return failure_ || arrived_.size() == messages; });
  if (failure_) std::rethrow_exception(failure_);
  if (in_time) return;
  int missing = processes_.first;
  while (missing == process_ || arrived_.count(missing) > 0) ++missing;
  throw Error(kExitStalled, StrCat("process ", missing, " stands still: it has sent no numbers to ",
                                   "add up for ", Seconds(patience_.longest())));
}

// In messages of a bounded size.
void ProcessSum::Sum(std::span<double> values) {
  if (processes_.size() == 1) return;
  for (size_t begin = 0; begin < values.size(); begin += kMostNumbers)
    SumRun(values.subspan(begin, std::min(kMostNumbers, values.size() - begin)));
}

void ProcessSum::SumRun(std::span<double> values) {
  std::unique_lock lock(mutex_);
  const bool first = process_ == processes_.first;
  if (!first) Send(WireMessage::kSum, processes_.first, values);
  Await(&lock, first ? processes_.size() - 1 : 1);
  for (const auto& [process, numbers] : arrived_) {
    if (numbers.size() != values.size())
      throw PeerError(StrCat("process ", process, " adds up ", numbers.size(),
                             " numbers where this one has ", values.size()));
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = first ? values[i] + numbers[i] : numbers[i];
  }
  arrived_.clear();
  for (int process = processes_.first + 1; first && process < processes_.last; ++process)
    Send(WireMessage::kSummed, process, values);
  ++turn_;
}

// A process is never ahead of the first, which answers last.
void ProcessSum::OnMessage(int rank, const WireMessage& head) {
  const bool first = process_ == processes_.first;
  const bool right_sender =
      SameAddress(head.from(), ClientAddress(group_, rank)) &&
      (first ? processes_.Has(rank) && rank != process_ : rank == processes_.first);
  const bool right_type = head.type() == (first ? WireMessage::kSum : WireMessage::kSummed);
  if (!right_sender || !right_type || !SameAddress(head.to(), ClientAddress(group_, process_)))
    return;
  const std::lock_guard lock(mutex_);
  if (head.step() != turn_) return;
  arrived_.try_emplace(rank, head.number().begin(), head.number().end());
  changed_.notify_all();
}

void ProcessSum::Fail(std::exception_ptr error) {
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = std::move(error);
  changed_.notify_all();
}

}  // namespace singa
