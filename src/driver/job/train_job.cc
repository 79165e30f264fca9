#include "driver/job/train_job.h"

#include <glog/logging.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>

#include "base/system/caught_error.h"
#include "cluster/workers/make_worker_groups.h"
#include "driver/job/announcement.h"
#include "driver/job/divided_job.h"
#include "driver/job/done_text.h"
#include "driver/job/end_process.h"
#include "driver/job/evaluations.h"
#include "driver/job/graph_file.h"
#include "driver/job/group_loop.h"
#include "driver/job/job_checkpoints.h"
#include "driver/job/job_rows.h"
#include "driver/job/job_sinks.h"
#include "driver/job/layer_profile.h"
#include "driver/job/other_groups.h"
#include "driver/job/remote_metrics.h"
#include "driver/job/schedule.h"
#include "driver/job/step_grants.h"
#include "driver/job/training_start.h"
#include "driver/plan/plan_texts.h"
#include "driver/signals/interrupt.h"
#include "driver/workspace/side_files.h"
#include "driver/workspace/workspace.h"
#include "io/file/text_file.h"

namespace singa {
namespace {

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

class TrainRun {
 public:
  TrainRun(const JobProto& job, const RunOptions& options, Progress* progress)
      : job_(job),
        progress_(*progress),
        threads_(ThreadsOfWorker(job, options.threads)),
        process_(options.process),
        failed_(options.failed),
        made_(MakeWorkerGroups(
            job, threads_, process_,
            {[this](const ControlMessage::Row& row) { received_.Add(row); }, options.failed})),
        groups_(*made_),
        snapshot_(&groups_, [this] { received_.WriteTo(&*rows_); }),
        workspace_(WorkspacePath(job), WorkspaceOptionsOf(job, options, progress)),
        checkpoints_(job, workspace_, &groups_, &snapshot_, progress, [this] { SyncRows(); }),
        start_(job, workspace_, &groups_, &checkpoints_, progress),
        side_files_(progress),
        evaluations_(job, &groups_, &snapshot_, &checkpoints_, &side_files_) {
    checkpoints_.OnCommit(options.committed);
  }

  // Writes the rows received from other processes, however the job ends.
  ~TrainRun() { KeepReceivedRows(); }
  TrainRun(const TrainRun&) = delete;
  TrainRun& operator=(const TrainRun&) = delete;

  ExitCode Run(const RunOptions& options) {
    Start(options);
    OtherGroups others(&groups_, schedule(), &*rows_);
    try {
      return RunSteps(others);
    } catch (...) {  // before the destructor waits for the other groups
      if (failed_) failed_(std::current_exception());
      throw;
    }
  }

  // Blocks until nothing is under way between processes.
  void Settle() { groups_.backend().Settle(); }

  // Called after an error ended the run.
  void PutPreviousRunBack(const Error& why) {
    KeepReceivedRows();
    start_.PutPreviousRunBack(why);
  }

 private:
  Trainer& lead() { return groups_.lead(); }

  void Start(const RunOptions& options) {
    progress_.Say(Announcement(job_, &groups_, threads_, workspace_.path()));
    start_.LoadValues(options);
    rows_.emplace(workspace_, schedule().steps(), &groups_, &snapshot_, &progress_);
    if (process_) start_.MeetOthers(options);
    const EndsOnSignal signals(options, "the first step");
    start_.Tell();
    StartGroups(options);
    side_files_.Try([&] { WriteJobFiles(workspace_, job_, &lead().model()); });
    profile_.emplace(job_, !checkpoints_.resumed_from().empty(), &lead(), &workspace_,
                     &side_files_);
    if (options.partition) side_files_.Try([&] { WritePartition(*options.partition); });
  }

  const Schedule& schedule() const { return start_.schedule(); }

  void StartGroups(const RunOptions& options) {
    groups_.WatchStalls([options](const std::string& text) { EndStalled(options, text); });
    groups_.Start(schedule().steps());
    loop_.emplace(&groups_, 0, schedule(), &*rows_, PredictedMs(job_, options));
  }

  void WritePartition(const AutoPartition& partition) {
    WriteText(workspace_.files(), PartitionFile(workspace_.path()), ToText(partition));
  }

  ExitCode RunSteps(OtherGroups& others) {
    std::optional<CheckpointFollows> follows;
    if (!checkpoints_.resumed_from().empty()) follows.emplace();
    const auto start = std::chrono::steady_clock::now();
    StepGrants grants(&groups_, &schedule(), start_.step());
    for (int64_t step = start_.step(); step < schedule().steps(); ++step) {
      if (step == grants.granted()) {
        RunDue(step);
        if (checkpoints_.best().exhausted()) {
          const bool resumed = step > 0 && step == start_.step();
          progress_.Say(StrCat("stopped early at step ", step, ": ", checkpoints_.best().Text(),
                               resumed ? "; a larger stop_patience goes on" : ""));
          return End(step, start, schedule().Test(step));
        }
        AwaitRecords(others);
        if (Interrupted()) return Stop(step);
        RequireRoom(step);
      }
      if (!follows) follows.emplace();
      grants.Grant(step, Interrupted());
      if (!TrainStep(step)) CheckOthers(others);
      if (loop_->abandoned()) return Stop(step);
    }
    groups_.steps().Leave(0);
    // Wait until all other groups have ended. If one never does, another check ends the job.
    while (!groups_.steps().gate().AwaitOthers(0, std::chrono::milliseconds(100))) {
      received_.WriteTo(&*rows_);
      if (Interrupted()) return Stop(schedule().steps());
    }
    CheckOthers(others);
    if (!follows) follows.emplace();
    WriteHistograms(schedule().steps());
    if (schedule().Validate(schedule().steps()))
      evaluations_.Run(kVal, schedule().steps(), &*rows_);
    return End(schedule().steps(), start);
  }

  // Ends the training after `updates` updates, with a test, unless it is `tested`, and a
  // checkpoint.
  ExitCode End(int64_t updates, std::chrono::steady_clock::time_point start, bool tested = false) {
    if (!tested) evaluations_.Run(kTest, updates, &*rows_);
    checkpoints_.CommitLast(updates);
    if (Interrupted()) return Stop(updates);
    lead().Finish();
    rows_->Sync();  // throws if rows are not on the disk
    progress_.Say(
        DoneText(&groups_, start_.step(), updates, SecondsSince(start), evaluations_.last_test()));
    return kExitOk;
  }

  static bool Interrupted() { return InterruptCode() != kExitOk; }

  // Does what is due after `updates` updates. A signal ends an evaluation early; a resumed run
  // starts with it again.
  void RunDue(int64_t updates) {
    WriteHistograms(updates);
    if (schedule().Validate(updates)) evaluations_.Run(kVal, updates, &*rows_);
    if (schedule().Test(updates)) evaluations_.Run(kTest, updates, &*rows_);
    if (schedule().Checkpoint(updates) && !checkpoints_.Has(updates))
      checkpoints_.TryCommit(updates);
  }

  // A resumed run has the histograms of its checkpoint's step.
  void WriteHistograms(int64_t updates) {
    if (updates > start_.step() && schedule().Histograms(updates)) rows_->WriteHistograms(updates);
  }

  // Ends the job with a checkpoint if too many rows wait for the disk.
  void RequireRoom(int64_t updates) {
    try {
      rows_->RequireRoom();
    } catch (const WriteError&) {
      checkpoints_.CommitLast(updates);
      rows_->Sync();
      throw;
    }
  }

  void KeepReceivedRows() {
    try {
      if (rows_) received_.WriteTo(&*rows_);
    } catch (const std::exception& error) {
      LOG(WARNING) << error.what();  // the job ends by another error
    }
  }

  // Writes rows to the disk. Only warns of errors, so that checkpoints do not fail because of rows.
  void SyncRows() {
    try {
      if (rows_) rows_->Sync();
    } catch (const WriteError& error) {
      LOG(WARNING) << error.what();
    }
  }

  // Ends the job after a signal. A new run without a step leaves no checkpoint: the next start
  // would set it aside in place of the earlier run.
  ExitCode Stop(int64_t updates) {
    const bool trained =
        std::ranges::any_of(groups_.steps().done(), [](int64_t n) { return n > 0; });
    if (!trained && checkpoints_.resumed_from().empty()) {
      progress_.Say("stopped by a signal before the first step");
      return InterruptCode();
    }
    checkpoints_.CommitLast(updates);
    progress_.Say(StrCat("stopped by a signal at step ", updates,
                         "; to continue, type the same command with -resume"));
    return InterruptCode();
  }

  // Waits for the records of the next step before it begins, as a batch may take minutes to read. A
  // signal ends the wait.
  void AwaitRecords(OtherGroups& others) {
    loop_->AwaitRecords([&] {
      CheckOthers(others);
      return Interrupted();
    });
  }

  // Throws the error of another group, here or in another process.
  void CheckOthers(OtherGroups& others) {
    others.Check();
    if (process_) process_->control().Check();
  }

  // Trains a step. Returns false if another group has failed or the job ends.
  bool TrainStep(int64_t step) {
    received_.WriteTo(&*rows_);
    if (!groups_.steps().gate().Pass(0, step)) return false;
    snapshot_.BringOwnValuesBack();
    profile_->BeginStep();
    const bool due = loop_->TrainStep(step, Interrupted);
    if (loop_->abandoned()) return true;
    profile_->EndStep();
    if (!due)
      progress_.ShowStep(
          step, schedule().steps(), [this] { return LayerRows(groups_.team(0).metrics().Sum()); },
          loop_->samples_per_second());
    if (const auto advice = loop_->TakeAdvice()) progress_.Say(*advice);
    if (job_.debug() && job_.disp_freq() > 0 && schedule().Display(step))
      side_files_.Try([&] {
        WriteDebugFiles(workspace_.files(), lead().model().ctx(), lead().model().net(),
                        workspace_.visualization(), step, 0);
      });
    return true;
  }

  const JobProto& job_;
  Progress& progress_;
  const int threads_;
  JobProcess* const process_;  // null: the job has one process
  const std::function<void(const std::exception_ptr&)> failed_;
  std::optional<JobSinks> rows_;
  ReceivedRows received_{process_};
  const std::unique_ptr<WorkerGroups> made_;  // calls received_ until it is destroyed
  WorkerGroups& groups_;
  JobSnapshot snapshot_;
  Workspace workspace_;
  JobCheckpoints checkpoints_;
  TrainingStart start_;
  SideFiles side_files_;
  Evaluations evaluations_;
  std::optional<GroupLoop> loop_;        // steps of group 0
  std::optional<LayerProfile> profile_;  // of these steps
};

}  // namespace

ExitCode TrainUnwatched(const JobProto& job, const RunOptions& options, Progress* progress) {
  TrainRun run(job, options, progress);
  try {
    const ExitCode code = run.Run(options);
    run.Settle();
    // Before anything is destroyed, as GPUs of several processes must leave their group together.
    if (options.process) options.process->End();
    return code;
  } catch (...) {
    run.PutPreviousRunBack(CaughtError());
    throw;
  }
}

}  // namespace singa
