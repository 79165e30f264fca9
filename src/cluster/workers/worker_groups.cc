#include "cluster/workers/worker_groups.h"

#include <utility>

#include "base/system/failpoint.h"
#include "cluster/protocol/gradient_codec.h"
#include "singa/base/error.h"
#include "singa/base/str_cat.h"

namespace singa {

namespace {

// Returns this process's plan. Process 0 has asked all about their GPUs. The others know the mode
// by what process 0 has sent: a group of GPUs, or its memory. If it sent neither, it plans without
// both, as they do.
SyncPlan PlanOf(const JobProto& job, const JobProcess* process, const GroupOptions& options) {
  const bool on_gpus = options.gpus.has_value();
  const std::string why_not_gpus = on_gpus ? "" : "the host adds the gradients up";
  if (!process) return PlanSync(job, {.in_one_process = true, .why_not_gpus = why_not_gpus});
  if (process->part().rank() == 0) return process->part().Plan(why_not_gpus);
  if (on_gpus) return process->part().Plan(why_not_gpus, SyncMode::kAllReduce);
  if (options.shared) return process->part().Plan(why_not_gpus, SyncMode::kHostMemory);
  return process->part().Plan(why_not_gpus);
}

}  // namespace

WorkerGroups::WorkerGroups(const JobProto& job, int threads, JobProcess* process,
                           GroupOptions options)
    : job_(job),
      process_(process),
      own_deadline_(LongestWait(job.cluster())),
      plan_(PlanOf(job, process, options)),
      calls_(std::move(options.calls)),
      replica_(UsesCodec(plan_.mode, job) ? JobOfServers(job) : job),
      backend_(MakeSyncBackend(setup(threads), std::move(options.shared), options.gpus)),
      teams_(setup(threads), backend_.get(), calls_.failed),
      steps_(job, process, deadline()) {
  if (process_) process_->peers().Listen(this);
}

// Closes the backend first, since servers and their messages write to the params of the teams.
WorkerGroups::~WorkerGroups() {
  watch_.reset();
  if (process_) process_->peers().Forget();
  backend_->Close();
}

void WorkerGroups::OnFailure() {
  steps_.gate().Stop();
  backend_->Stop(&teams_);
}

JobMemory WorkerGroups::memory() {
  JobMemory sum = teams_.memory();
  backend_->AddMemory(&teams_, &sum);
  return sum;
}

void WorkerGroups::Allocate() {
  memory().Check();
  if (teams_.HasWorkers()) backend_->Allocate(&teams_);
}

void WorkerGroups::WatchStalls(std::function<void(const std::string&)> stalled) {
  const int timeout = job_.cluster().stall_timeout();  // seconds
  if (timeout == 0) return;
  StallDetector finder(timeout * kSecond);
  const std::string where = process_ ? StrCat(" in process ", process_->part().rank()) : "";
  for (const int group : here())
    for (Trainer* trainer : team(group).trainers())
      finder.Add(StrCat("worker ", trainer->model().place().worker, " of group ", group, where),
                 &trainer->model().mark());
  backend_->Watch(where, &finder);
  const auto went_on = [this](uint64_t count) {
    own_deadline_.Renew();
    if (process_) process_->NoteProgress(count);
  };
  watch_.emplace(std::move(finder), Watchdog::Calls{went_on, std::move(stalled)});
}

void WorkerGroups::Connect() {
  if (teams_.HasWorkers()) teams_.BroadcastValues();
  backend_->Connect(&teams_, steps_.done(), steps_.total());
}

void WorkerGroups::Start(int64_t steps) {
  steps_.Begin(here(), steps);
  Connect();
  backend_->model_state().UseRestoredState();
  if (process_ && process_->leader()) process_->leader()->AwaitReady();
  if (process_ && process_->follower()) process_->follower()->Ready();
  SINGA_FAILPOINT("group_begins");
  backend_->Fill();
  MeasureExchange();
}

// ExchangeAdvice compares this with the exchange of compressed gradients. GPUs exchange in streams
// that the host does not watch, so they are not compared.
void WorkerGroups::MeasureExchange() {
  const bool sends = plan_.mode == SyncMode::kServers || plan_.mode == SyncMode::kRankSums;
  const bool compresses = job_.cluster().all_reduce().compression() != AllReduceProto::kNone;
  if (!sends || !compresses || !process_ || steps_.groups() > 1 || !teams_.HasWorkers()) return;
  int64_t floats = 0;
  for (const Param* param : lead().model().trained().params) floats += param->size();
  whole_exchange_ = backend_->MeasureSum(floats);
}

GradientReleases* WorkerGroups::BeginReleases() {
  releases_.emplace(lead().model().trained().table, team(here().front()).size(), &clock_);
  lead().updates().set_events(&*releases_);
  return &*releases_;
}

// The servers' values include the steps since the checkpoint.
void WorkerGroups::TakePlace(int64_t steps) {
  constexpr int64_t kMost = int64_t{1} << 31;  // steps
  steps_.Begin(here(), steps);
  Connect();
  process_->follower()->AskForSteps();
  for (const auto& [group, team] : teams_.all()) {
    const int64_t before = steps_.gate().steps(group), next = backend_->TakeOver(group);
    if (next - before > kMost)
      throw PeerError(StrCat("servers say that worker group ", group, " has done ", next,
                             " steps, ", before, " of them before the last checkpoint"));
    for (Trainer* trainer : team->trainers())
      if (!trainer->model().readers().Skip(next - before))
        throw PeerError(StrCat("worker group ", group, " cannot go on at step ", next,
                               ": an input layer does not say its Stride"));
    steps_.gate().SetSteps(group, next);
  }
}

void WorkerGroups::Fail(const std::exception_ptr& error) {
  steps_.gate().Stop();
  if (process_)
    process_->Fail(error);
  else
    backend_->Fail(error);
}

void WorkerGroups::EndWaits() {
  steps_.gate().Stop();
  if (!steps_.together()) return;  // no group waits for another within a step
  const auto ended = std::make_exception_ptr(ToldError(kExitOk, "the job has ended"));
  if (process_)
    process_->EndWaits(ended);
  else
    backend_->Fail(ended);
}

}  // namespace singa
