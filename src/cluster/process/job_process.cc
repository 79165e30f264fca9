#include "cluster/process/job_process.h"

#include <algorithm>
#include <utility>

#include "cluster/liveness/watchdog.h"
#include "cluster/protocol/seconds.h"

namespace singa {
namespace {

int StatesOf(const JobProto& job) { return static_cast<int>(Replica(job).state_count()); }

}  // namespace

JobProcess::JobProcess(const JobProto& job, const ProcessPlace& place, const Clock* clock)
    : job_(job),
      rank_(place.rank),
      cores_(place.cores),
      one_host_(place.one_host),
      processes_before_(place.before_here),
      deadline_(LongestWait(job.cluster())),
      plan_(Plan("")),
      stub_(job_.cluster(), plan_.topology, place, StatesOf(job_), this, clock ? clock : &steady_),
      cluster_(std::make_unique<ServedCluster>(job_, plan_.topology, rank_, &stub_, &deadline_)),
      replacements_(plan_.topology) {
  for (const RoleId& worker : topology().Workers(rank_)) {
    Range& ids = groups_.try_emplace(worker.group, Range{worker.id, worker.id}).first->second;
    ids.last = worker.id + 1;
  }
  cluster_->OnFailure([this](const std::exception_ptr& error) { OnLost(error); });
}

SyncPlan JobProcess::Plan(const std::string& why_not_gpus, std::optional<SyncMode> told) const {
  return PlanSync(job_, {.one_host = one_host_,
                         .processes_before = processes_before_,
                         .why_not_gpus = why_not_gpus,
                         .told = told});
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

// For what process `rank` is to say.
void JobProcess::Await(std::unique_lock<std::mutex>* lock, const ProgressDeadline& deadline,
                       int rank, const std::string& what, const std::function<bool()>& done) {
  const bool in_time = deadline.Wait(&changed_, lock, [&] { return failure_ || done(); });
  if (failure_) std::rethrow_exception(failure_);
  if (!in_time)
    throw Error(kExitStalled, StrCat("process ", rank, " stands still: no ", what, " of it for ",
                                     Seconds(deadline.longest())));
}

// While nobody goes on yet who could say so.
ProgressDeadline JobProcess::StartDeadline() const {
  const std::chrono::milliseconds start = std::chrono::seconds(job_.cluster().start_timeout());
  return ProgressDeadline(std::min(deadline_.longest() + start, kNoEnd));
}

void JobProcess::Check() {
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
}

// It has no limit of its own, since it ends when another wait does: who has failed says so, or does
// not end by itself, and is found by its own watches, or is gone, which the stub finds.
void JobProcess::AwaitFailure() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return failure_ != nullptr; });
  std::rethrow_exception(failure_);
}

void JobProcess::Tell(int rank, const ControlMessage& control) {
  stub_.Post(ControlTo(rank, control));
}

void JobProcess::TellAll(const ControlMessage& control) { PassOn(rank_, control); }

// To all but this process and `from`.
void JobProcess::PassOn(int from, const ControlMessage& news) {
  for (int rank = 0; rank < processes(); ++rank)
    if (rank != rank_ && rank != from) Tell(rank, news);
}

std::vector<ControlMessage> JobProcess::AwaitAll(ControlMessage::KindCase answer, Range ranks,
                                                 const ProgressDeadline& deadline) {
  std::unique_lock lock(mutex_);
  std::vector<ControlMessage> answers;
  for (int rank = ranks.first; rank < ranks.last; ++rank) {
    Await(&lock, deadline, rank, NameOf(answer), [&] {
      return answers_.count({answer, rank}) > 0;
    });
    answers.push_back(answers_.extract({answer, rank}).mapped());
  }
  return answers;
}

void JobProcess::AwaitReady() {
  AwaitAtStart(ControlMessage::kReady);
  TellAll(EmptyControl(ControlMessage::kAllReady));
}

void JobProcess::NoteProgress(uint64_t count) {
  deadline_.Renew();
  stub_.NoteProgress(count);
}

// Who takes a place meanwhile hears of it by Greet alone.
std::vector<ControlMessage> JobProcess::HoldAll() {
  {
    const std::lock_guard lock(mutex_);
    replacements_.AskToHold();
    TellAll(EmptyControl(ControlMessage::kHold));
  }
  return AwaitAll(ControlMessage::kHeld);
}

void JobProcess::GoAll() {
  const std::lock_guard lock(mutex_);
  replacements_.Go();
  TellAll(EmptyControl(ControlMessage::kGo));
}

void JobProcess::Filled() {
  if (rank_ == 0)
    AwaitAll(ControlMessage::kFilled);
  else
    Answer(EmptyControl(ControlMessage::kFilled));
  const std::lock_guard lock(mutex_);
  replacements_.Begin();
}

void JobProcess::SetStart(const ControlMessage::Begin& start) {
  const std::lock_guard lock(mutex_);
  replacements_.SetStart(start);
}

void JobProcess::End() {
  {
    const std::lock_guard lock(mutex_);
    replacements_.End();
    TellAll(EmptyControl(ControlMessage::kEnd));
  }
  Drain();
}

ControlMessage JobProcess::Next(const ProgressDeadline& deadline) {
  std::unique_lock lock(mutex_);
  Await(&lock, deadline, 0, "word", [this] { return !orders_.empty(); });
  ControlMessage order = std::move(orders_.front());
  orders_.pop_front();
  return order;
}

void JobProcess::Ready() {
  Answer(EmptyControl(ControlMessage::kReady));
  if (!Next(StartDeadline()).has_all_ready())
    throw PeerError("process 0 does not say that all processes are ready");
}

void JobProcess::NoteSteps(int group, int64_t steps) {
  if (rank_ > 0) return Answer(StepsOf(group, steps));  // rank 0 tells the others
  const std::lock_guard lock(mutex_);
  replacements_.NoteSteps(group, steps);
  TellAll(StepsOf(group, steps));
}

void JobProcess::NoteLeft(int group) {
  if (rank_ > 0) return Answer(LeftBy(group));
  const std::lock_guard lock(mutex_);
  replacements_.NoteLeft(group);
  TellAll(LeftBy(group));
}

void JobProcess::AllowSteps(int group, int64_t steps) {
  ControlMessage grant;
  grant.mutable_group_grant()->set_group(group);
  grant.mutable_group_grant()->set_steps(steps);
  const Range all = topology().ProcessesOf(group);
  for (int rank = all.first + 1; rank < all.last; ++rank) Tell(rank, grant);
}

void JobProcess::SendRow(const ControlMessage::Row& row) {
  ControlMessage control;
  *control.mutable_row() = row;
  Tell(0, control);
}

bool JobProcess::StopOthers(const Error& error) {
  stub_.StopOthers(error.code(), error.what());
  const double seconds = stub_.met() ? kStopSeconds : kStopEarlySeconds;
  if (stub_.Drain(seconds)) {
    stub_.StopOthers(error.code(), error.what());  // they wait for it
    if (!stub_.lost_leader()) return true;
  }
  try {
    Check();
    return false;
  } catch (const ToldError&) {  // rank 0 shows what it was, and may be gone
    return true;
  } catch (...) {
    return false;  // whatever this process has met, it shows `error`
  }
}

void JobProcess::OnLost(std::exception_ptr error) {
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    first = !failure_;
  }
  if (first) on_failure_(error);
  SendHome(std::move(error));
}

void JobProcess::SendHome(std::exception_ptr error) {
  cluster_->Fail(error);
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = std::move(error);
  if (events_) events_->OnFailure();
  changed_.notify_all();
}

}  // namespace singa
