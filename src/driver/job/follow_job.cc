#include "driver/job/follow_job.h"

#include <optional>

#include "driver/job/group_loop.h"
#include "driver/job/schedule.h"
#include "io/checkpoint/checkpoint.h"
#include "train/init_params.h"
#include "train/trainer_state.h"

namespace singa {
namespace {

class FollowRun {
 public:
  FollowRun(const RunOptions& options, JobProcess* process)
      : job_(process->job()),
        process_(*process),
        groups_(job_, ThreadsOfWorker(job_, options.threads), process) {
    groups_.Allocate();
    const JobProcess::Order begin = process->Next();
    step_ = begin.step;
    if (groups_.HasWorkers()) {
      SetValues(begin.text);
      schedule_.emplace(ScheduleOf(job_, &groups_.lead()));
      loop_.emplace(&groups_, 0, *schedule_, nullptr);
    }
    groups_.gate().SetSteps(0, step_);
    groups_.Start();
  }

  ExitCode Run() {
    for (;;) {
      const JobProcess::Order order = process_.Next();
      if (order.what == kEnd) break;
      if (!groups_.HasWorkers()) continue;
      if (order.what == kGrant)
        for (; step_ < order.step; ++step_) loop_->TrainStep(step_);
      if (order.what == kCollect)
        process_.GiveRows(TakeRows(groups_.team(0).trainers()).SerializeAsString());
    }
    if (groups_.HasWorkers()) groups_.lead().FinishOutputs();
    process_.Drain();
    return kExitOk;
  }

 private:
  // Those of rank 0: a checkpoint's, or the first ones, which every process makes alike.
  void SetValues(const std::string& checkpoint) {
    Trainer& lead = groups_.lead();
    if (checkpoint.empty()) {
      InitParams(lead.ctx(), {job_.checkpoint_path().begin(), job_.checkpoint_path().end()},
                 &lead.params());
      return;
    }
    TrainerState(groups_.team(0).trainers(), 0, step_).Restore(*LoadCheckpoint(checkpoint));
    lead.metrics().Reset();  // rank 0 has the sums of all
  }

  const JobProto& job_;
  JobProcess& process_;
  WorkerGroups groups_;
  int64_t step_ = 0;
  std::optional<Schedule> schedule_;  // says when rows are due
  std::optional<GroupLoop> loop_;
};

}  // namespace

ExitCode FollowJob(const RunOptions& options, JobProcess* process) {
  return FollowRun(options, process).Run();
}

}  // namespace singa
