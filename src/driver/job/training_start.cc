#include "driver/job/training_start.h"

#include <algorithm>
#include <cmath>

#include "base/system/failpoint.h"
#include "base/text/counted.h"
#include "cluster/process/job_process.h"
#include "driver/facts/compare_facts.h"
#include "driver/job/alike.h"
#include "driver/job/divided_job.h"
#include "driver/job/end_process.h"
#include "driver/job/group_loop.h"

namespace singa {

void TrainingStart::LoadValues(const RunOptions& options) {
  const EndsOnSignal signals(options, "the first step");
  SINGA_FAILPOINT("leader_loads");
  groups_.Allocate();
  TellFacts(InputsOf(&groups_.lead()), [this](const std::string& text) { progress_.Warn(text); });
  schedule_.emplace(ScheduleOf(job_, &groups_.lead()));
  if (const double steps = schedule_->epoch_steps(); steps > 0)
    groups_.lead().replica().SetEpochSteps(steps);
  WarnOfLongSteps();
  const auto resumed = options.resume ? checkpoints_.Resume() : std::nullopt;
  if (!resumed) Begin(options.resume ? previous_.AfterLostStart(job_) : job_);
  step_ = resumed.value_or(0);
  if (step_ > schedule_->steps())
    throw ConfigError(job_.train_epochs() > 0 ? "train_epochs" : "train_steps",
                      StrCat("the checkpoint to resume from is of step ", step_,
                             ", beyond the last, ", schedule_->steps(), PassesText()));
}

// Most jobs end only between steps. A job whose step reads all data may seem to hang.
void TrainingStart::WarnOfLongSteps() {
  constexpr double kRounding = 1e-6;
  const double batches = schedule_->epoch_steps() * job_.accumulate_steps();
  const auto pass = static_cast<int64_t>(std::ceil(batches - kRounding));
  if (batches <= 0 || job_.accumulate_steps() <= std::max<int64_t>(1, pass)) return;
  progress_.Warn(StrCat("accumulate_steps: a step has ", job_.accumulate_steps(),
                        " batches, a pass over the training data ", pass, "; a signal ",
                        MayAbandonSteps(&groups_) ? "discards the batches of an unfinished step"
                                                  : "ends the job after a whole step"));
}

// Returns a text that explains the number of steps by train_epochs; "": train_steps gives it.
std::string TrainingStart::PassesText() const {
  const int groups = job_.cluster().nworker_groups();
  if (job_.train_epochs() == 0) return "";
  return StrCat(" (", Counted(job_.train_epochs(), "pass", "passes"),
                groups > 1 ? StrCat(", shared by ", groups, " worker groups)") : ")");
}

// Sets new values, and sets the files of an earlier run aside.
void TrainingStart::Begin(const JobProto& job) {
  first_ = SetFirstValues(job, &groups_.lead(), &progress_);
  if (groups_.process()) previous_.CheckStays(first_->files);
  // Opens the stores first, so that a run that cannot begin does not set the earlier run aside.
  groups_.lead().model().readers().CountRecords();
  const std::string moved = previous_.SetAside(&first_->files);
  if (!moved.empty()) progress_.Say(moved);
}

void TrainingStart::MeetOthers(const RunOptions& options) {
  begin_ = BeginAt(groups_.steps().done(), schedule_->steps(), checkpoints_.resumed_from(),
                   schedule_->epoch_steps());
  if (first_) *begin_.mutable_first_values() = first_->ToProto();
  *begin_.mutable_alike() = AlikeOf(&groups_);
  if (options.partition) partition_ = ProtoOf(options.partition->division);
  options.meet();
}

void TrainingStart::Tell() {
  if (groups_.process()) TellOthers();
  if (const std::string& from = checkpoints_.resumed_from(); !from.empty())
    progress_.Say(StrCat("resumed from ", from, " at step ", step_));
}

void TrainingStart::TellOthers() {
  if (partition_) groups_.process()->leader()->TellPartition(*partition_);
  groups_.backend().TellMemory();
  groups_.process()->leader()->TellBegin(begin_);
}

}  // namespace singa
