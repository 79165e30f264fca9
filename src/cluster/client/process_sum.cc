#include "cluster/client/process_sum.h"

#include <glog/logging.h>

#include <algorithm>

#include "cluster/protocol/addresses.h"
#include "cluster/protocol/seconds.h"
#include "singa/base/error.h"

namespace singa {
namespace {

constexpr size_t kMostNumbers = 4096;  // of a message

}  // namespace

ProcessSum::ProcessSum(const Topology& topology, int group, int process, Outbox* out,
                       const ProgressDeadline* deadline)
    : group_(group),
      process_(process),
      workers_(topology.workers_per_group()),
      processes_(topology.ProcessesOf(group)),
      out_(out),
      deadline_(*deadline) {
  for (int p = processes_.first; p < processes_.last; ++p) {
    nodes_.push_back(topology.NodesOf(p, group));
    most_nodes_ = std::max(most_nodes_, nodes_.back().size());
  }
}

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
      deadline_.Wait(&changed_, lock, [&] { return failure_ || arrived_.size() == messages; });
  if (failure_) std::rethrow_exception(failure_);
  if (in_time) return;
  int missing = processes_.first;
  while (missing == process_ || arrived_.count(missing) > 0) ++missing;
  throw Error(kExitStalled, StrCat("process ", missing, " stands still: it has sent no numbers to ",
                                   "add up for ", Seconds(deadline_.longest())));
}

// In messages of a bounded size, which all processes cut alike.
void ProcessSum::Sum(std::span<const double> parts, std::span<double> sum) {
  const size_t n = sum.size(), nodes = nodes_[process_ - processes_.first].size();
  CHECK_EQ(parts.size(), nodes * n);
  const size_t most = kMostNumbers / most_nodes_;
  std::vector<double> run;
  for (size_t begin = 0; begin < n; begin += most) {
    const size_t size = std::min(most, n - begin);
    run.clear();
    for (size_t i = 0; i < nodes; ++i)
      run.insert(run.end(), &parts[i * n + begin], &parts[i * n + begin] + size);
    SumRun(run, sum.subspan(begin, size));
  }
}

// The values belong to the first of the process's nodes.
void ProcessSum::SumOfProcesses(std::span<double> values) {
  std::vector<double> parts(nodes_[process_ - processes_.first].size() * values.size());
  std::ranges::copy(values, parts.begin());
  Sum(parts, values);
}

void ProcessSum::SumRun(std::span<const double> parts, std::span<double> sum) {
  if (processes_.size() == 1) return AddUpAll(parts, sum);
  std::unique_lock lock(mutex_);
  const bool first = process_ == processes_.first;
  if (!first) Send(WireMessage::kSum, processes_.first, parts);
  Await(&lock, first ? processes_.size() - 1 : 1);
  for (const auto& [process, numbers] : arrived_) {
    const size_t nodes = first ? nodes_[process - processes_.first].size() : 1;
    if (numbers.size() != nodes * sum.size())
      throw PeerError(StrCat("process ", process, " adds up ", numbers.size(),
                             " numbers where this one expects ", nodes * sum.size()));
  }
  if (first)
    AddUpAll(parts, sum);
  else
    std::ranges::copy(arrived_.begin()->second, sum.begin());
  arrived_.clear();
  for (int process = processes_.first + 1; first && process < processes_.last; ++process)
    Send(WireMessage::kSummed, process, sum);
  ++turn_;
}

// Adds the sums that have arrived to the first process's own.
void ProcessSum::AddUpAll(std::span<const double> parts, std::span<double> sum) {
  std::vector<SumNode> nodes;
  std::vector<const double*> sums;
  for (int process = processes_.first; process < processes_.last; ++process) {
    const double* numbers = process == process_ ? parts.data() : arrived_.at(process).data();
    for (const SumNode& node : nodes_[process - processes_.first]) {
      nodes.push_back(node);
      sums.push_back(numbers);
      numbers += sum.size();
    }
  }
  AddUp<double>({0, workers_}, nodes, sums, static_cast<int64_t>(sum.size()), sum.data());
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
