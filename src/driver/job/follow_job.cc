#include "driver/job/follow_job.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "base/system/failpoint.h"
#include "cluster/workers/gpu_groups.h"
#include "driver/job/end_process.h"
#include "driver/job/first_values.h"
#include "driver/job/group_loop.h"
#include "driver/job/other_groups.h"
#include "driver/job/remote_metrics.h"
#include "io/checkpoint/checkpoint.h"
#include "io/checkpoint/checkpoint_writer.h"
#include "train/state/process_state.h"
#include "train/state/trainer_state.h"

namespace singa {
namespace {

// While it lives, the params that rank 0 shares, and has set, have other memory here: setting a
// value may take several writes. The updater's states are read from the checkpoint straight to
// where rank 0 has put the same bytes.
class SharedAside {
 public:
  explicit SharedAside(const std::vector<Param*>& shared) {
    for (Param* param : shared)
      kept_.emplace_back(param, std::exchange(param->host(), Tensor::Allocate(param->shape())));
  }
  ~SharedAside() {
    for (auto& [param, data] : kept_) param->host() = data;
  }
  SharedAside(const SharedAside&) = delete;
  SharedAside& operator=(const SharedAside&) = delete;

 private:
  std::vector<std::pair<Param*, Tensor>> kept_;
};

// Rank 0's first word. What it had told a lost process, whose place this one takes, may come
// before.
JobProcess::Order FirstOrder(JobProcess* process) {
  for (;;) {
    JobProcess::Order order = process->First();
    for (const Control what : {kGpus, kMemory, kBegin, kTakePlace, kEnd})
      if (order.what == what) return order;
  }
}

class FollowRun {
 public:
  // `groups`: those here.
  FollowRun(const RunOptions& options, JobProcess* process, const JobProcess::Order& told,
            WorkerGroups* groups)
      : job_(process->job()), process_(*process), told_(told), groups_(*groups), rows_(process) {
    groups_.Allocate();
    const JobProcess::Order begin = told_.what == kMemory ? process->Next() : told_;
    for (int g = 0; g < std::min<int>(groups_.size(), static_cast<int>(begin.numbers.size())); ++g)
      groups_.gate().SetSteps(g, begin.numbers[g]);
    if (groups_.HasWorkers()) SetValues(begin);
    groups_.WatchStalls([options](const std::string& text) { EndStalled(options, text); });
    Start();
    if (!groups_.HasWorkers()) return;
    schedule_.emplace(ScheduleOf(job_, &groups_.lead()));
    groups_.SetMostSteps(schedule_->steps());
    step_ = groups_.gate().steps(0);
    if (HasFirst()) loop_.emplace(&groups_, 0, *schedule_, nullptr);
  }

  ExitCode Run() {
    std::optional<OtherGroups> others;
    if (groups_.HasWorkers()) others.emplace(&groups_, *schedule_, &rows_);
    while (Do(process_.Next())) continue;
    SINGA_FAILPOINT("follower_ended");
    // Rank 0 may have stopped the job: nobody waits for servers that have ended.
    groups_.gate().Stop();
    process_.SendHome(std::make_exception_ptr(ToldError(kExitOk, "the job has ended")));
    others.reset();
    if (groups_.HasWorkers()) groups_.lead().Finish();
    process_.Drain();
    return kExitOk;
  }

 private:
  void Start() {
    if (told_.what != kTakePlace) return groups_.Start();
    if (told_.step > 0) groups_.gate().HoldOthers(StepGate::kNoGroup);
    groups_.TakePlace();
  }

  // Workers of the first group, of which others are in rank 0: they take the steps that it grants.
  bool HasFirst() const { return process_.groups().count(0) > 0; }

  // Those of rank 0: a checkpoint's, or the first ones, which every process makes alike.
  void SetValues(const JobProcess::Order& begin) {
    Trainer& lead = groups_.lead();
    const SharedAside aside(told_.what == kMemory ? lead.trained() : std::vector<Param*>());
    if (begin.text.empty())
      return SetFirstValuesAs(FirstValues::Of(begin.more), process_.rank(), &lead);
    const std::unique_ptr<Checkpoint> from = LoadCheckpoint(begin.text);
    const int first = groups_.here().front();
    if (first > 0) TrainerState(groups_.team(first).trainers(), first, 0).RestoreValues(*from);
    for (const int group : groups_.here())
      TrainerState(groups_.team(group).trainers(), group, 0).Restore(*from);
  }

  // False: it was the last.
  bool Do(const JobProcess::Order& order) {
    SINGA_FAILPOINT("follower_told");
    switch (order.what) {
      case kGrant:
        groups_.Grant(order.step);
        for (; HasFirst() && step_ < order.step; ++step_) loop_->TrainStep(step_);
        break;
      case kHold:
        groups_.gate().HoldOthers(StepGate::kNoGroup);
        process_.Answer(kHeld, StepsHere());
        break;
      case kGo:
        groups_.gate().Go();
        break;
      case kExchange:
        process_.cluster().Exchange(order.numbers);
        process_.Answer(kExchanged);
        break;
      case kCollect:
        GiveState(order.numbers);
        break;
      default:
        break;
    }
    return order.what != kEnd;
  }

  std::vector<int64_t> StepsHere() {
    std::vector<int64_t> steps;
    for (const int group : groups_.here())
      if (groups_.Leads(group))
        steps.insert(steps.end(), {int64_t{group}, groups_.gate().steps(group)});
    return steps;
  }

  // When the groups here have done so many `steps`, by group.
  void GiveState(const std::vector<int64_t>& steps) {
    if (std::ssize(steps) != groups_.size())
      throw PeerError("process 0 does not say how far each worker group is");
    ProcessState state;
    for (const int group : groups_.here()) {
      groups_.gate().AwaitSteps(group, steps[group]);
      process_.Check();  // the gate ends a wait where the job fails, too
      if (groups_.Leads(group))
        AddState(group, &state);
      else
        *state.mutable_rows() = RowsOf(groups_.team(group).trainers());
    }
    if (state.has_rows() && !HasFirst())  // for who joins those of the whole group
      process_.GiveState(groups_.FirstProcess(groups_.here().front()),
                         std::exchange(state, {}).SerializeAsString());
    process_.GiveState(0, state.SerializeAsString());
  }

  void AddState(int group, ProcessState* state) {
    const std::vector<ProcessState> others = groups_.AwaitStates(group);
    TrainerState whole(groups_.team(group).trainers(), group, groups_.gate().steps(group));
    for (const ProcessState& other : others) whole.Join(other.rows());
    CheckpointContent content;
    whole.Save(&content);
    AddTensors(content.state, state);
  }

  const JobProto& job_;
  JobProcess& process_;
  const JobProcess::Order told_;  // by rank 0, first
  WorkerGroups& groups_;
  RemoteMetrics rows_;
  int64_t step_ = 0;  // of the first group
  std::optional<Schedule> schedule_;
  std::optional<GroupLoop> loop_;  // of the first group
};

}  // namespace

ExitCode FollowJob(const RunOptions& options, JobProcess* process) {
  const JobProto& job = process->job();
  const int threads = ThreadsOfWorker(job, options.threads);
  std::unique_ptr<WorkerGroups> groups;
  JobProcess::Order told = FirstOrder(process);
  if (told.what == kGpus) {
    groups = JoinOnGpus(job, threads, process, told);
    told = FirstOrder(process);
    if (told.what == kGpus) throw PeerError("process 0 makes a second group of GPUs");
  }
  if (told.what == kEnd) return kExitOk;
  if (!groups) groups = std::make_unique<WorkerGroups>(job, threads, process, FindMemory(told));
  return FollowRun(options, process, told, groups.get()).Run();
}

}  // namespace singa
