#include "cluster/job_process.h"

#include <algorithm>
#include <utility>

#include "cluster/seconds.h"
#include "cluster/stall_watch.h"

namespace singa {
namespace {

constexpr size_t kChunk = 256 << 10, kMostState = (size_t{1} << 31) - 1;  // bytes

// Without servers of its own a job's processes each have one: the values of a slice are then added
// up by one of them and told to all, which is a reduction and a gathering. How far a group may be
// ahead is the gates' to say: a server that kept an answer would keep its group within a step.
JobProto InProcesses(const JobProto& job) {
  JobProto own = job;
  ClusterProto& cluster = *own.mutable_cluster();
  cluster.clear_user_consistency();
  if (!cluster.has_all_reduce()) return own;
  cluster.clear_all_reduce();
  cluster.set_nserver_groups(1);
  cluster.set_nservers_per_procs(1);
  cluster.set_server_worker_separate(false);
  cluster.set_nservers_per_group(
      std::max(1, cluster.nworkers_per_group() / std::max(1, cluster.nworkers_per_procs())));
  return own;
}

JobProto WithoutBound(JobProto job) {
  job.mutable_cluster()->clear_max_staleness();
  return job;
}

Topology TopologyOf(const JobProto& job) {
  try {
    return Topology(job.cluster());
  } catch (const ConfigError& error) {
    throw error.Under("cluster");
  }
}

// Servers with processes of their own are there to be used.
bool SharesHost(const ClusterProto& cluster, const Topology& topology) {
  return cluster.share_memory() && topology.worker_groups() == 1 &&
         topology.ProcessesOf(0).size() == topology.processes();
}

int StatesOf(const JobProto& job) { return static_cast<int>(Replica(job).state_count()); }

JobProcess::Order OrderOf(const WireMessage& head) {
  JobProcess::Order order = {head.control(), head.step(), {}, ""};
  if (head.text_size() > 0) order.text = head.text(0);
  for (const double number : head.number())
    order.numbers.push_back(number >= 0 && number < 1e15 ? static_cast<int64_t>(number) : 0);
  return order;
}

}  // namespace

int ProcessesOf(const JobProto& job) {
  const Topology topology = TopologyOf(InProcesses(job));
  const bool alone = topology.worker_groups() > 1 && topology.ProcessesOf(0).size() > 1;
  return alone ? 1 : topology.processes();
}

JobProcess::JobProcess(const JobProto& job, const ProcessPlace& place)
    : job_(InProcesses(job)),
      rank_(place.rank),
      patience_(LongestWait(job.cluster())),
      topology_(TopologyOf(job_)),
      shares_host_(place.rank == 0 && place.one_host && SharesHost(job_.cluster(), topology_)),
      stub_(job_.cluster(), topology_, place, StatesOf(job_), this, &clock_),
      cluster_(std::make_unique<ServedCluster>(WithoutBound(job_), rank_, &stub_, &patience_)) {
  for (const RoleId& worker : topology_.Workers(rank_)) {
    Range& ids = groups_.try_emplace(worker.group, Range{worker.id, worker.id}).first->second;
    ids.last = worker.id + 1;
  }
  cluster_->OnFailure([this](const std::exception_ptr& error) { OnLost(error); });
}

// No message comes for the cluster, and none of the cluster's is without a stub.
JobProcess::~JobProcess() {
  stub_.Stop();
  cluster_.reset();
}

void JobProcess::Listen(GroupEvents* events) {
  const std::lock_guard lock(mutex_);
  events_ = events;
}

void JobProcess::Await(std::unique_lock<std::mutex>* lock, const std::function<bool()>& done) {
  changed_.wait(*lock, [&] { return failure_ || done(); });
  if (failure_) std::rethrow_exception(failure_);
}

void JobProcess::Check() {
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
}

void JobProcess::AwaitFailure() {
  std::unique_lock lock(mutex_);
  Await(&lock, [] { return false; });
}

void JobProcess::Tell(int rank, WireMessage head) {
  Message message;
  message.head = std::move(head);
  message.head.set_type(WireMessage::kControl);
  message.head.mutable_to()->set_id(rank);
  stub_.Post(std::move(message));
}

void JobProcess::TellAll(Control what, int64_t step, const std::vector<int64_t>& numbers,
                         const std::string& text) {
  WireMessage head;
  head.set_control(what);
  head.set_step(step);
  head.mutable_number()->Add(numbers.begin(), numbers.end());
  if (!text.empty()) head.add_text(text);
  for (int rank = 1; rank < processes(); ++rank) Tell(rank, head);
}

std::vector<JobProcess::Order> JobProcess::AwaitAll(Control answer, const Patience& patience) {
  std::unique_lock lock(mutex_);
  std::vector<Order> answers;
  for (int rank = 1; rank < processes(); ++rank) {
    const auto here = [&] { return failure_ || answers_.count({answer, rank}) > 0; };
    const bool in_time = patience.Wait(&changed_, &lock, here);
    if (failure_) std::rethrow_exception(failure_);
    if (!in_time)
      throw Error(kExitStalled, StrCat("process ", rank, " stands still: no ", Control_Name(answer),
                                       " of it for ", Seconds(patience.longest())));
    answers.push_back(answers_.extract({answer, rank}).mapped());
  }
  return answers;
}

// Nobody goes on yet who could say so.
void JobProcess::AwaitReady() {
  const std::chrono::milliseconds start = std::chrono::seconds(job_.cluster().start_timeout());
  const Patience more(std::min(patience_.longest() + start, kNoEnd));
  AwaitAll(kBegin, more);
  TellAll(kBegin);
}

void JobProcess::NoteProgress(uint64_t count) {
  patience_.Renew();
  stub_.NoteProgress(count);
}

std::vector<std::string> JobProcess::CollectStates() {
  AskAll(kCollect, {}, kCollected);
  const std::lock_guard lock(mutex_);
  std::vector<std::string> all;
  for (auto& [rank, state] : std::exchange(states_, {})) all.push_back(std::move(state));
  return all;
}

void JobProcess::End() {
  TellAll(kEnd);
  Drain();
}

JobProcess::Order JobProcess::Next() {
  std::unique_lock lock(mutex_);
  Await(&lock, [this] { return !orders_.empty(); });
  Order order = std::move(orders_.front());
  orders_.pop_front();
  return order;
}

void JobProcess::Ready() {
  Answer(kBegin);
  Next();
}

void JobProcess::Answer(Control what, const std::vector<int64_t>& numbers) {
  WireMessage head;
  head.set_control(what);
  head.mutable_number()->Add(numbers.begin(), numbers.end());
  Tell(0, std::move(head));
}

// In messages of a bounded size; `step` says how many follow.
void JobProcess::GiveState(const std::string& state) {
  if (state.size() > kMostState)
    throw Error(kExitIo, StrCat("the state of process ", rank_, " is too large for a checkpoint, ",
                                state.size() >> 20, " MiB"));
  const auto kept = std::make_shared<const std::string>(state);
  for (size_t begin = 0; begin == 0 || begin < state.size(); begin += kChunk) {
    const size_t size = std::min(kChunk, state.size() - begin);
    Message message;
    message.head.set_type(WireMessage::kControl);
    message.head.mutable_to()->set_id(0);
    message.head.set_control(kCollected);
    message.head.set_step(
        static_cast<int64_t>((state.size() - begin - size + kChunk - 1) / kChunk));
    if (size > 0) message.payload.emplace_back(kept, kept->data() + begin, size);
    stub_.Post(std::move(message));
  }
}

// Of another process: by way of rank 0, to all.
void JobProcess::Note(Control what, int group, int64_t steps) {
  WireMessage head;
  head.set_control(what);
  head.set_group(group);
  head.set_step(steps);
  for (int rank = 0; rank < processes(); ++rank)
    if (rank != rank_ && (rank == 0 || rank_ == 0)) Tell(rank, head);
}

void JobProcess::SendRow(WireMessage row) {
  row.set_control(kRow);
  Tell(0, std::move(row));
}

bool JobProcess::StopOthers(const Error& error) {
  stub_.StopOthers(error.code(), error.what());
  const double seconds = stub_.met() ? kStopSeconds : kStopEarlySeconds;
  return stub_.Drain(seconds) && !stub_.lost_leader();
}

void JobProcess::OnMessage(int rank, Message message) {
  if (message.head.to().role() == Address::kStub)
    OnControl(rank, std::move(message));
  else
    cluster_->OnMessage(rank, std::move(message));
}

// Rank 0 hears answers; the others are told all else, by rank 0 alone.
void JobProcess::OnControl(int rank, Message message) {
  const WireMessage& head = message.head;
  if (OnGroup(rank, head)) return;
  if (rank_ == 0 && head.control() == kInterrupt) return asked_();
  const std::lock_guard lock(mutex_);
  if (rank_ > 0 && rank == 0)
    orders_.push_back(OrderOf(head));
  else if (rank_ == 0 && head.control() == kCollected)
    TakeState(rank, message);
  else if (rank_ == 0)
    answers_[{head.control(), rank}] = OrderOf(head);
  changed_.notify_all();
}

// What is about a worker group of process `rank`, or, said by rank 0, of another.
bool JobProcess::OnGroup(int rank, const WireMessage& head) {
  const Control what = head.control();
  if (what != kSteps && what != kLeft && what != kRow) return false;
  const auto group = static_cast<int>(head.group());
  const bool known = head.group() < static_cast<uint32_t>(topology_.worker_groups());
  if (!known || groups_.count(group) > 0) return true;
  if (rank_ == 0 ? !topology_.ProcessesOf(group).Has(rank) : rank != 0) return true;
  if (rank_ == 0 && what != kRow)
    for (int other = 1; other < processes(); ++other)
      if (other != rank) Tell(other, head);
  std::exception_ptr error;
  try {
    const std::lock_guard lock(mutex_);
    if (!events_) return true;
    if (what == kSteps) events_->OnSteps(group, head.step());
    if (what == kLeft) events_->OnLeft(group);
    if (what == kRow && rank_ == 0) events_->OnRow(head);
  } catch (...) {  // the row cannot be written
    error = std::current_exception();
  }
  if (error) OnLost(error);
  return true;
}

void JobProcess::TakeState(int rank, const Message& message) {
  std::string& state = states_[rank];
  for (const Frame& frame : message.payload)
    if (state.size() + frame.size() <= kMostState)
      state.append(static_cast<const char*>(frame.data()), frame.size());
  if (message.head.step() == 0) answers_[{kCollected, rank}] = {};
}

void JobProcess::OnLost(std::exception_ptr error) {
  cluster_->Fail(error);
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = std::move(error);
  if (events_) events_->OnFailure();
  changed_.notify_all();
}

}  // namespace singa
