#include "cluster/job_process.h"

#include <algorithm>
#include <utility>

namespace singa {
namespace {

constexpr size_t kChunk = 256 << 10, kMostRows = size_t{1} << 31;  // bytes

// Without servers of its own a job's processes each have one: the values of a slice are then added
// up by one of them and told to all, which is a reduction and a gathering.
JobProto InProcesses(const JobProto& job) {
  JobProto own = job;
  ClusterProto& cluster = *own.mutable_cluster();
  if (!cluster.has_all_reduce()) return own;
  cluster.clear_all_reduce();
  cluster.set_nserver_groups(1);
  cluster.set_nservers_per_procs(1);
  cluster.set_server_worker_separate(false);
  cluster.set_nservers_per_group(
      std::max(1, cluster.nworkers_per_group() / cluster.nworkers_per_procs()));
  return own;
}

Topology TopologyOf(const JobProto& job) {
  try {
    return Topology(job.cluster());
  } catch (const ConfigError& error) {
    throw error.Under("cluster");
  }
}

int StatesOf(const JobProto& job) { return static_cast<int>(Replica(job).state_count()); }

}  // namespace

int ProcessesOf(const JobProto& job) {
  return job.cluster().nworker_groups() > 1 ? 1 : TopologyOf(InProcesses(job)).processes();
}

JobProcess::JobProcess(const JobProto& job, const ProcessPlace& place)
    : job_(InProcesses(job)),
      rank_(place.rank),
      topology_(TopologyOf(job_)),
      stub_(job_.cluster(), topology_, place, StatesOf(job_), this, &clock_),
      cluster_(std::make_unique<ServedCluster>(job_, rank_, &stub_)) {
  cluster_->OnFailure([this](const std::exception_ptr& error) { OnLost(error); });
}

// No message comes for the cluster, and none of the cluster's is without a stub.
JobProcess::~JobProcess() {
  stub_.Stop();
  cluster_.reset();
}

Range JobProcess::workers() const {
  const std::vector<RoleId> here = topology_.Workers(rank_);
  if (here.empty()) return {};
  return {here.front().id, here.back().id + 1};
}

void JobProcess::Await(std::unique_lock<std::mutex>* lock, const std::function<bool()>& done) {
  changed_.wait(*lock, [&] { return failure_ || done(); });
  if (failure_) std::rethrow_exception(failure_);
}

void JobProcess::Tell(int rank, Control what, int64_t step, const std::string& text) {
  Message message;
  message.head.set_type(WireMessage::kControl);
  message.head.mutable_to()->set_id(rank);
  message.head.set_control(what);
  message.head.set_step(step);
  if (!text.empty()) message.head.add_text(text);
  stub_.Post(std::move(message));
}

void JobProcess::TellAll(Control what, int64_t step, const std::string& text) {
  for (int rank = 1; rank < topology_.processes(); ++rank) Tell(rank, what, step, text);
}

void JobProcess::Begin(int64_t step, const std::string& checkpoint) {
  TellAll(kBegin, step, checkpoint);
}

void JobProcess::AwaitReady() {
  {
    std::unique_lock lock(mutex_);
    Await(&lock,
          [this] { return static_cast<int>(ready_.size()) == topology_.processes() - 1; });
  }
  TellAll(kBegin, 0);
}

void JobProcess::Grant(int64_t steps) { TellAll(kGrant, steps); }

std::vector<std::string> JobProcess::CollectRows(int64_t step) {
  const int with_workers = topology_.ProcessesOf(0).last;
  for (int rank = 1; rank < with_workers; ++rank) Tell(rank, kCollect, step);
  std::unique_lock lock(mutex_);
  Await(&lock, [&] { return static_cast<int>(gave_.size()) == with_workers - 1; });
  gave_.clear();
  std::vector<std::string> all;
  for (auto& [rank, rows] : std::exchange(rows_, {})) all.push_back(std::move(rows));
  return all;
}

void JobProcess::End() {
  TellAll(kEnd, 0);
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
  Tell(0, kBegin, 0);
  Next();
}

// In messages of a bounded size; `step` says how many follow.
void JobProcess::GiveRows(const std::string& rows) {
  const auto kept = std::make_shared<const std::string>(rows);
  for (size_t begin = 0; begin == 0 || begin < rows.size(); begin += kChunk) {
    const size_t size = std::min(kChunk, rows.size() - begin);
    Message message;
    message.head.set_type(WireMessage::kControl);
    message.head.mutable_to()->set_id(0);
    message.head.set_control(kCollected);
    message.head.set_step(static_cast<int64_t>((rows.size() - begin - size + kChunk - 1) / kChunk));
    if (size > 0) message.payload.emplace_back(kept, kept->data() + begin, size);
    stub_.Post(std::move(message));
  }
}

bool JobProcess::StopOthers(const Error& error) {
  stub_.StopOthers(error.code(), error.what());
  return stub_.Drain(kStopSeconds);
}

void JobProcess::OnMessage(int rank, Message message) {
  if (message.head.to().role() == Address::kStub)
    OnControl(rank, std::move(message));
  else
    cluster_->OnMessage(rank, std::move(message));
}

// Rank 0 is told that a process is ready, and rows; the others are told all else, by rank 0 alone.
void JobProcess::OnControl(int rank, Message message) {
  const std::lock_guard lock(mutex_);
  const WireMessage& head = message.head;
  if (rank_ > 0 && rank == 0)
    orders_.push_back({head.control(), head.step(), head.text_size() > 0 ? head.text(0) : ""});
  else if (rank_ == 0 && head.control() == kBegin)
    ready_.insert(rank);
  else if (rank_ == 0 && head.control() == kCollected)
    TakeRows(rank, message);
  changed_.notify_all();
}

void JobProcess::TakeRows(int rank, const Message& message) {
  std::string& rows = rows_[rank];
  for (const Frame& frame : message.payload)
    if (rows.size() + frame.size() <= kMostRows)
      rows.append(static_cast<const char*>(frame.data()), frame.size());
  if (message.head.step() == 0) gave_.insert(rank);
}

void JobProcess::OnLost(std::exception_ptr error) {
  cluster_->Fail(error);
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = std::move(error);
  changed_.notify_all();
}

}  // namespace singa
