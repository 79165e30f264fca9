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

void JobProcess::Tell(int rank, WireMessage head) {
  Message message;
  message.head = std::move(head);
  message.head.set_type(WireMessage::kControl);
  message.head.mutable_to()->set_id(rank);
  stub_.Post(std::move(message));
}

void JobProcess::TellAll(Control what, int64_t step, const std::vector<int64_t>& numbers,
                         const std::string& text, const std::vector<std::string>& more) {
  WireMessage head;
  head.set_control(what);
  head.set_step(step);
  head.mutable_number()->Add(numbers.begin(), numbers.end());
  if (!text.empty() || !more.empty()) head.add_text(text);
  for (const std::string& one : more) head.add_text(one);
  for (int rank = 1; rank < processes(); ++rank) Tell(rank, head);
}

std::vector<JobProcess::Order> JobProcess::AwaitAll(Control answer, Range ranks,
                                                    const ProgressDeadline& deadline) {
  std::unique_lock lock(mutex_);
  std::vector<Order> answers;
  for (int rank = ranks.first; rank < ranks.last; ++rank) {
    Await(&lock, deadline, rank, Control_Name(answer), [&] {
      return answers_.count({answer, rank}) > 0;
    });
    answers.push_back(answers_.extract({answer, rank}).mapped());
  }
  return answers;
}

void JobProcess::AwaitReady() {
  AwaitAtStart(kBegin);
  TellAll(kBegin);
}

void JobProcess::NoteProgress(uint64_t count) {
  deadline_.Renew();
  stub_.NoteProgress(count);
}

// Who takes a place meanwhile hears of it by Greet alone.
std::vector<JobProcess::Order> JobProcess::HoldAll() {
  {
    const std::lock_guard lock(mutex_);
    replacements_.AskToHold();
    TellAll(kHold);
  }
  return AwaitAll(kHeld);
}

void JobProcess::GoAll() {
  const std::lock_guard lock(mutex_);
  replacements_.Go();
  TellAll(kGo);
}

void JobProcess::Filled() {
  if (rank_ == 0)
    AwaitAll(kFilled);
  else
    Answer(kFilled);
  const std::lock_guard lock(mutex_);
  replacements_.Begin();
}

void JobProcess::SetStart(const std::vector<int64_t>& steps, const std::string& checkpoint,
                          const std::vector<std::string>& more) {
  const std::lock_guard lock(mutex_);
  replacements_.SetStart(steps, checkpoint, more);
}

void JobProcess::End() {
  {
    const std::lock_guard lock(mutex_);
    replacements_.End();
    TellAll(kEnd);
  }
  Drain();
}

JobProcess::Order JobProcess::Next(const ProgressDeadline& deadline) {
  std::unique_lock lock(mutex_);
  Await(&lock, deadline, 0, "word", [this] { return !orders_.empty(); });
  Order order = std::move(orders_.front());
  orders_.pop_front();
  return order;
}

void JobProcess::Ready() {
  Answer(kBegin);
  Next(StartDeadline());
}

void JobProcess::Answer(Control what, const std::vector<int64_t>& numbers,
                        const std::string& text) {
  WireMessage head;
  head.set_control(what);
  if (!text.empty()) head.add_text(text);
  head.mutable_number()->Add(numbers.begin(), numbers.end());
  Tell(0, std::move(head));
}

WireMessage JobProcess::GroupWord(Control what, int group, int64_t steps) {
  WireMessage head;
  head.set_control(what);
  head.set_group(group);
  head.set_step(steps);
  return head;
}

// Of another process: by way of rank 0, to all.
void JobProcess::Note(Control what, int group, int64_t steps) {
  const std::lock_guard lock(mutex_);
  if (what == kSteps) replacements_.NoteSteps(group, steps);
  if (what == kLeft) replacements_.NoteLeft(group);
  for (int rank = 0; rank < processes(); ++rank)
    if (rank != rank_ && (rank == 0 || rank_ == 0)) Tell(rank, GroupWord(what, group, steps));
}

void JobProcess::AllowSteps(int group, int64_t steps) {
  const Range all = topology().ProcessesOf(group);
  for (int rank = all.first + 1; rank < all.last; ++rank)
    Tell(rank, GroupWord(kGrant, group, steps));
}

void JobProcess::SendRow(WireMessage row) {
  row.set_control(kRow);
  Tell(0, std::move(row));
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
