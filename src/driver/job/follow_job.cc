#include "driver/job/follow_job.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "base/system/failpoint.h"
#include "cluster/workers/host_memory_backend.h"
#include "cluster/workers/job_snapshot.h"
#include "cluster/workers/make_worker_groups.h"
#include "driver/job/alike.h"
#include "driver/job/divided_job.h"
#include "driver/job/end_process.h"
#include "driver/job/first_values.h"
#include "driver/job/group_loop.h"
#include "driver/job/other_groups.h"
#include "driver/job/remote_metrics.h"
#include "driver/job/step_recorder.h"
#include "io/checkpoint/checkpoint.h"
#include "io/checkpoint/checkpoint_writer.h"
#include "singa/base/str_cat.h"
#include "train/state/process_state.h"
#include "train/state/trainer_state.h"

namespace singa {
namespace {

// While it exists, the params that rank 0 shares, and has set, have other memory here, as setting a
// value may take several writes. The updater's states are not set aside: the checkpoint gives the
// bytes that rank 0 has written there.
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

// Divides the layers as rank 0 says.
void Divide(const ControlMessage::Partition& told, JobProto* job) {
  AutoPartition partition;
  partition.division = DivisionOf(told);
  Divide(partition, job);
}

// Returns rank 0's first order. Orders to a lost process that this one replaces may arrive before,
// and are dropped.
ControlMessage FirstOrder(JobProcess* process) {
  for (;;) {
    ControlMessage order = process->follower()->First();
    if (order.has_gpu_group() || order.has_partition() || order.has_memory() || order.has_begin() ||
        order.has_take_place() || order.has_end())
      return order;
  }
}

// Returns the steps of each worker group in the whole job, as process 0 counts them. Groups that
// take steps together would wait for ever if one took more than another. Throws PeerError if the
// number is missing or wrong.
int64_t TotalSteps(const ControlMessage::Begin& begin) {
  if (!begin.has_steps()) throw PeerError("process 0 does not say how many steps the job has");
  if (begin.steps() < 0)
    throw PeerError(StrCat("process 0 says that the job has ", begin.steps(), " steps"));
  return begin.steps();
}

// Returns the steps of an epoch; 0: process 0 does not say them, and `rule` needs none. Throws
// PeerError if the number is missing or wrong.
double ToldEpochSteps(const ControlMessage::Begin& begin, const UpdateRule& rule) {
  const double steps = begin.steps_per_epoch();
  if (begin.has_steps_per_epoch() ? !(steps > 0 && std::isfinite(steps)) : rule.counts_epochs())
    throw PeerError("process 0 does not say how many steps an epoch has");
  return steps;
}

// Reads the steps of each of `groups` worker groups. Throws PeerError for wrong numbers.
std::vector<int64_t> StepsIn(const google::protobuf::RepeatedField<int64_t>& told, int groups) {
  if (told.size() != groups || std::ranges::any_of(told, [](int64_t n) { return n < 0; }))
    throw PeerError("process 0 does not say how many steps each worker group has done");
  return {told.begin(), told.end()};
}

class FollowRun {
 public:
  // `groups` are those of this process.
  FollowRun(const RunOptions& options, JobProcess* process, const ControlMessage& told,
            WorkerGroups* groups)
      : job_(process->part().job()),
        process_(*process),
        told_(told),
        groups_(*groups),
        recorder_(options.recorder),
        rows_(process) {
    groups_.Allocate();
    const ControlMessage word = told_.has_memory() ? process->follower()->Next() : told_;
    const ControlMessage::Begin& begin =
        word.has_take_place() ? word.take_place().begin() : word.begin();
    if (begin.has_alike()) CheckAlike(begin.alike(), AlikeOf(&groups_));
    const int64_t total = TotalSteps(begin);
    Replica& replica = groups_.lead().replica();
    if (const double steps = ToldEpochSteps(begin, replica.rule()); steps > 0)
      replica.SetEpochSteps(steps);
    int group = 0;
    for (const int64_t steps : StepsIn(begin.group_steps(), groups_.size()))
      groups_.steps().gate().SetSteps(group++, steps);
    if (groups_.teams().HasWorkers())
      SetValues(begin);
    else if (begin.has_checkpoint() && !told_.has_take_place())
      groups_.backend().model_state().RestoreState(LoadCheckpoint(begin.checkpoint())->state());
    groups_.WatchStalls([options](const std::string& text) { EndStalled(options, text); });
    if (groups_.teams().HasWorkers()) schedule_.emplace(ScheduleOf(job_, &groups_.lead(), total));
    Start(total);
    if (!groups_.teams().HasWorkers()) return;
    step_ = groups_.steps().gate().steps(0);
    if (!HasFirst()) return;
    loop_.emplace(&groups_, 0, *schedule_, nullptr, std::nullopt, recorder_);
    if (recorder_) recorder_->Begin(&groups_.team(0));
  }
  ~FollowRun() {
    if (recorder_) recorder_->End();
  }
  FollowRun(const FollowRun&) = delete;
  FollowRun& operator=(const FollowRun&) = delete;

  ExitCode Run() {
    std::optional<OtherGroups> others;
    if (groups_.teams().HasWorkers()) others.emplace(&groups_, *schedule_, &rows_);
    while (Do(process_.follower()->Next())) continue;
    SINGA_FAILPOINT("follower_ended");
    groups_.backend().Settle();
    // End all waits for servers, which may have ended already if rank 0 has stopped the job.
    groups_.steps().gate().Stop();
    process_.EndWaits(std::make_exception_ptr(ToldError(kExitOk, "the job has ended")));
    others.reset();
    if (groups_.teams().HasWorkers()) groups_.lead().Finish();
    process_.Drain();
    return kExitOk;
  }

 private:
  void Start(int64_t steps) {
    if (!told_.has_take_place()) return groups_.Start(steps);
    if (told_.take_place().hold()) groups_.steps().gate().HoldOthers(StepGate::kNoGroup);
    groups_.TakePlace(steps);
  }

  // Returns whether this process has workers of group 0. They take the steps that rank 0 grants.
  bool HasFirst() const { return process_.part().groups().count(0) > 0; }

  // Sets the values that rank 0 has: those of a checkpoint, or the first values, which each process
  // computes.
  void SetValues(const ControlMessage::Begin& begin) {
    Trainer& lead = groups_.lead();
    const SharedAside aside(told_.has_memory() ? lead.model().trained().params
                                               : std::vector<Param*>());
    if (!begin.has_checkpoint())
      return SetFirstValuesAs(FirstValues::Of(begin), process_.part().rank(), &lead);
    const std::unique_ptr<Checkpoint> from = LoadCheckpoint(begin.checkpoint());
    const int first = groups_.here().front();
    if (first > 0) TrainerState(groups_.team(first).trainers(), first, 0).RestoreValues(*from);
    for (const int group : groups_.here())
      TrainerState(groups_.team(group).trainers(), group, 0).Restore(*from);
    // The servers' values include later steps than the checkpoint.
    if (!told_.has_take_place()) groups_.backend().model_state().RestoreState(from->state());
  }

  // Carries out an order. Returns false if it was the last one.
  bool Do(const ControlMessage& order) {
    SINGA_FAILPOINT("follower_told");
    switch (order.kind_case()) {
      case ControlMessage::kGrant:
        Train(order.grant().steps());
        break;
      case ControlMessage::kHold:
        groups_.steps().gate().HoldOthers(StepGate::kNoGroup);
        process_.follower()->Answer(StepsHere());
        break;
      case ControlMessage::kGo:
        groups_.steps().gate().Go();
        break;
      case ControlMessage::kExchange:
        Exchange(order.exchange());
        break;
      case ControlMessage::kCheckpointRequest:
        GiveState(StepsIn(order.checkpoint_request().group_steps(), groups_.size()));
        break;
      case ControlMessage::kEnd:
        return false;
      default:
        break;
    }
    return true;
  }

  // Trains the steps below `steps`.
  void Train(int64_t steps) {
    groups_.steps().Grant(steps);
    for (; HasFirst() && step_ < steps; ++step_) loop_->TrainStep(step_);
  }

  ControlMessage StepsHere() {
    ControlMessage answer;
    ControlMessage::Held* const held = answer.mutable_held();
    for (const int group : groups_.here()) {
      if (!groups_.steps().Leads(group)) continue;
      ControlMessage::GroupSteps* const its = held->add_group();
      its->set_group(group);
      its->set_steps(groups_.steps().gate().steps(group));
    }
    return answer;
  }

  void Exchange(const ControlMessage::Exchange& order) {
    if (order.versions_size() != process_.part().topology().server_groups())
      throw PeerError("process 0 does not say which versions the server groups have");
    groups_.backend().model_state().Exchange({order.versions().begin(), order.versions().end()});
    process_.follower()->Answer(EmptyControl(ControlMessage::kExchanged));
  }

  // Sends the groups' state when each group has done steps[group] steps. Where steps are recorded,
  // sends the record of step steps[0].
  void GiveState(const std::vector<int64_t>& steps) {
    if (recorder_) return process_.follower()->GiveState(0, recorder_->Record(steps[0]));
    ProcessState state;
    for (const int group : groups_.here()) {
      groups_.steps().gate().AwaitSteps(group, steps[group]);
      process_.control().Check();  // the wait also ends if the job fails
      if (groups_.steps().Leads(group))
        AddState(group, &state);
      else
        *state.mutable_rows() = RowsOf(groups_.team(group).trainers());
    }
    // The first process of the group joins the rows of all its processes.
    if (state.has_rows() && !HasFirst())
      process_.follower()->GiveState(groups_.steps().FirstProcess(groups_.here().front()),
                                     std::exchange(state, {}).SerializeAsString());
    std::vector<StoredTensor> own;
    groups_.backend().model_state().SaveState(&own);
    AddTensors(own, &state);
    process_.follower()->GiveState(0, state.SerializeAsString());
  }

  void AddState(int group, ProcessState* state) {
    const std::vector<ProcessState> others = AwaitStates(&process_, group);
    TrainerState whole(groups_.team(group).trainers(), group, groups_.steps().gate().steps(group));
    for (const ProcessState& other : others) whole.Join(other.rows());
    CheckpointContent content;
    whole.Save(&content);
    AddTensors(content.state, state);
  }

  const JobProto& job_;
  JobProcess& process_;
  const ControlMessage told_;  // first order of rank 0
  WorkerGroups& groups_;
  StepRecorder* const recorder_;  // null: steps are not recorded
  RemoteMetrics rows_;
  int64_t step_ = 0;  // next step of group 0
  std::optional<Schedule> schedule_;
  std::optional<GroupLoop> loop_;  // of the first group
};

}  // namespace

ExitCode FollowJob(const RunOptions& options, JobProcess* process) {
  JobProto job = process->part().job();
  const int threads = ThreadsOfWorker(job, options.threads);
  std::unique_ptr<WorkerGroups> groups;
  ControlMessage told = FirstOrder(process);
  if (told.has_gpu_group()) {
    groups = JoinOnGpus(job, threads, process, told.gpu_group());
    told = FirstOrder(process);
    if (told.has_gpu_group()) throw PeerError("process 0 makes a second group of GPUs");
  }
  const bool divides = told.has_partition();
  ControlMessage::Partition partition;
  for (; told.has_partition(); told = FirstOrder(process)) partition.MergeFrom(told.partition());
  if (divides) Divide(partition, &job);
  if (told.has_end()) return kExitOk;
  if (!groups) {
    GroupOptions shared{.shared = told.has_memory() ? FindMemory(told.memory()) : nullptr};
    groups = std::make_unique<WorkerGroups>(job, threads, process, std::move(shared));
  }
  return FollowRun(options, process, told, groups.get()).Run();
}

}  // namespace singa
