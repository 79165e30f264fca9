#include "driver/job/train_job.h"

#include <glog/logging.h>

#include <chrono>
#include <exception>
#include <optional>

#include "base/system/caught_error.h"
#include "base/system/failpoint.h"
#include "base/text/counted.h"
#include "cluster/workers/make_worker_groups.h"
#include "driver/facts/compare_facts.h"
#include "driver/job/announcement.h"
#include "driver/job/end_process.h"
#include "driver/job/evaluations.h"
#include "driver/job/first_values.h"
#include "driver/job/graph_file.h"
#include "driver/job/group_loop.h"
#include "driver/job/interrupt.h"
#include "driver/job/job_checkpoints.h"
#include "driver/job/job_rows.h"
#include "driver/job/other_groups.h"
#include "driver/job/previous_run.h"
#include "driver/job/remote_metrics.h"
#include "driver/job/schedule.h"
#include "driver/job/side_files.h"
#include "driver/job/step_grants.h"
#include "driver/job/workspace.h"

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
        made_(MakeWorkerGroups(job, threads_, process_,
                               [this](const ControlMessage::Row& row) { received_.Add(row); })),
        groups_(*made_),
        snapshot_(&groups_, [this] { received_.WriteTo(&*metrics_file_); }),
        workspace_(WorkspacePath(job), WorkspaceOptionsOf(job, options, progress)),
        checkpoints_(job, workspace_, &groups_, &snapshot_, progress, [this] { SyncRows(); }),
        side_files_(progress),
        evaluations_(job, &groups_, &snapshot_, &checkpoints_, &side_files_, progress) {
    checkpoints_.OnCommit(options.committed);
  }

  // Writes the rows received from other processes, however the job ends.
  ~TrainRun() { KeepReceivedRows(); }
  TrainRun(const TrainRun&) = delete;
  TrainRun& operator=(const TrainRun&) = delete;

  ExitCode Run(const RunOptions& options) {
    Start(options);
    OtherGroups others(&groups_, *schedule_, &*metrics_file_);
    try {
      return RunSteps(others);
    } catch (...) {  // before the destructor waits for the other groups
      if (failed_) failed_(std::current_exception());
      throw;
    }
  }

  // Called after an error ended the run.
  void PutPreviousRunBack(const Error& why) {
    KeepReceivedRows();
    previous_.PutBackAfter(why, &progress_);
  }

 private:
  Trainer& lead() { return groups_.lead(); }

  void Start(const RunOptions& options) {
    progress_.Say(Announcement(job_, &groups_, threads_, workspace_.path()));
    Load(options);
    groups_.steps().SetMost(schedule_->steps());
    const PendingOptions pending{.say = [this](const std::string& text) { progress_.Warn(text); }};
    metrics_file_.emplace(workspace_.files(), workspace_.metrics(), groups_.steps().done(),
                          pending);
    ControlMessage begins;
    *begins.mutable_begin() = BeginAt(groups_.steps().done(), checkpoints_.resumed_from());
    if (first_) *begins.mutable_begin()->mutable_first_values() = first_->ToProto();
    if (process_) process_->leader()->SetStart(begins.begin());
    if (process_) options.meet();
    const EndsOnSignal signals(options, "the first step");
    if (process_) groups_.backend().TellMemory();
    if (process_) process_->leader()->TellAll(begins);
    groups_.WatchStalls([options](const std::string& text) { EndStalled(options, text); });
    for (const int group : groups_.here()) groups_.team(group).OnFailure(failed_);
    groups_.Start();
    loop_.emplace(&groups_, 0, *schedule_, &*metrics_file_);
    side_files_.Try([&] { WriteGraphs(); });
  }

  void KeepReceivedRows() {
    try {
      if (metrics_file_) received_.WriteTo(&*metrics_file_);
    } catch (const std::exception& error) {
      LOG(WARNING) << error.what();  // the job ends by another error
    }
  }

  ExitCode RunSteps(OtherGroups& others) {
    const CheckpointFollows follows;
    const auto start = std::chrono::steady_clock::now();
    StepGrants grants(&groups_, &*schedule_, start_step_);
    for (int64_t step = start_step_; step < schedule_->steps(); ++step) {
      if (step == grants.granted()) {
        RunDue(step);
        AwaitRecords(others);
        if (Interrupted()) return Stop(step);
        if (metrics_file_->Overflows()) GiveUp(step);
      }
      grants.Grant(step, Interrupted());
      if (!TrainStep(step)) CheckOthers(others);
    }
    groups_.steps().Leave(0);
    // Wait until all other groups have ended. If one never does, another check ends the job.
    while (!groups_.steps().gate().AwaitOthers(0, std::chrono::milliseconds(100))) {
      received_.WriteTo(&*metrics_file_);
      if (Interrupted()) return Stop(schedule_->steps());
    }
    CheckOthers(others);
    RunAtEnd(schedule_->steps());
    if (Interrupted()) return Stop(schedule_->steps());
    lead().Finish();
    metrics_file_->Sync();  // throws if rows are not on the disk
    const std::string& test = evaluations_.last_test();
    const int64_t skipped = groups_.teams().CountSkips(), bad = CountBadRecords(&groups_);
    progress_.Say(StrCat("done: ", Counted(schedule_->steps() - start_step_, "step"), " in ",
                         DurationText(SecondsSince(start)),
                         skipped > 0 ? StrCat("; ", skipped, " skipped") : "",
                         bad > 0 ? StrCat("; ", Counted(bad, "bad record"), " skipped") : "",
                         test.empty() ? "" : "; test ", test));
    return kExitOk;
  }

  // Sets start_step_ and the values with which the training starts.
  void Load(const RunOptions& options) {
    const EndsOnSignal signals(options, "the first step");
    SINGA_FAILPOINT("leader_loads");
    groups_.Allocate();
    TellFacts(InputsOf(&lead()), [this](const std::string& text) { progress_.Warn(text); });
    schedule_.emplace(ScheduleOf(job_, &lead()));
    const auto resumed = options.resume ? checkpoints_.Resume() : std::nullopt;
    if (!resumed) Begin(options.resume ? previous_.AfterLostStart(job_) : job_);
    start_step_ = resumed.value_or(0);
    if (start_step_ > schedule_->steps())
      throw ConfigError("train_steps",
                        StrCat("the checkpoint to resume from is of step ", start_step_,
                               ", beyond the last, ", schedule_->steps()));
  }

  // Sets the first values, and sets aside the files of an earlier run.
  void Begin(const JobProto& job) {
    first_ = SetFirstValues(job, &lead(), &progress_);
    if (process_) previous_.CheckStays(first_->files);
    // Opens the stores first, so that a run that cannot begin does not set the earlier run aside.
    lead().net().CountRecords();
    const std::string moved = previous_.SetAside(&first_->files);
    if (!moved.empty()) progress_.Say(moved);
  }

  static bool Interrupted() { return InterruptCode() != kExitOk; }

  // Does what is due after `updates` updates. A signal ends an evaluation early; a resumed run
  // starts with it again.
  void RunDue(int64_t updates) {
    if (schedule_->Validate(updates)) evaluations_.Run(kVal, updates, &*metrics_file_);
    if (schedule_->Test(updates)) evaluations_.Run(kTest, updates, &*metrics_file_);
    if (schedule_->Checkpoint(updates) && !checkpoints_.Has(updates))
      checkpoints_.TryCommit(updates);
  }

  void RunAtEnd(int64_t updates) {
    if (schedule_->Validate(updates)) evaluations_.Run(kVal, updates, &*metrics_file_);
    if (lead().evaluator(kTest)) evaluations_.Run(kTest, updates, &*metrics_file_);
    checkpoints_.CommitLast(updates);
  }

  // Ends the job with a checkpoint, as too many rows wait for the disk.
  [[noreturn]] void GiveUp(int64_t updates) {
    checkpoints_.CommitLast(updates);
    metrics_file_->Sync();
    ThrowWriteError(kExitIo, workspace_.metrics(), "too many rows wait", metrics_file_->error());
  }

  // Writes rows to the disk. Only warns of errors, so that checkpoints do not fail because of rows.
  void SyncRows() {
    try {
      if (metrics_file_) metrics_file_->Sync();
    } catch (const WriteError& error) {
      LOG(WARNING) << error.what();
    }
  }

  void WriteGraphs() {
    FileSystem* const files = workspace_.files();
    WriteGraphFiles(files, lead().net(), workspace_.graph("train"), job_.name());
    if (Evaluator* test = lead().evaluator(kTest))
      WriteGraphFiles(files, test->net(), workspace_.graph("test"), job_.name());
  }

  ExitCode Stop(int64_t updates) {
    checkpoints_.CommitLast(updates);
    progress_.Say(StrCat("stopped by a signal at step ", updates,
                         "; the same command with -resume goes on from there"));
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
    received_.WriteTo(&*metrics_file_);
    if (!groups_.steps().gate().Pass(0, step)) return false;
    snapshot_.BringOwnValuesBack();
    if (const auto row = loop_->TrainStep(step))
      progress_.ShowRow(step, schedule_->steps(), row->sums.entries(),
                        row->stats.samples_per_second, row->More());
    else
      progress_.ShowStep(
          step, schedule_->steps(), [this] { return groups_.team(0).SumMetrics(); },
          loop_->samples_per_second());
    if (job_.debug() && job_.disp_freq() > 0 && schedule_->Display(step))
      side_files_.Try([&] {
        WriteDebugFiles(workspace_.files(), lead().ctx(), lead().net(), workspace_.visualization(),
                        step, 0);
      });
    return true;
  }

  const JobProto& job_;
  Progress& progress_;
  const int threads_;
  JobProcess* const process_;  // null: the job has one process
  const std::function<void(const std::exception_ptr&)> failed_;
  std::optional<MetricsFile> metrics_file_;
  ReceivedRows received_{process_};
  const std::unique_ptr<WorkerGroups> made_;  // calls received_ until it is destroyed
  WorkerGroups& groups_;
  JobSnapshot snapshot_;
  Workspace workspace_;
  PreviousRun previous_{workspace_};
  JobCheckpoints checkpoints_;
  SideFiles side_files_;
  Evaluations evaluations_;
  std::optional<Schedule> schedule_;
  std::optional<FirstValues> first_;  // not set: this run was resumed
  int64_t start_step_ = 0;
  std::optional<GroupLoop> loop_;  // steps of group 0
};

}  // namespace

ExitCode TrainUnwatched(const JobProto& job, const RunOptions& options, Progress* progress) {
  TrainRun run(job, options, progress);
  try {
    const ExitCode code = run.Run(options);
    // Before anything is destroyed, as GPUs of several processes must leave their group together.
    if (options.process) options.process->End();
    return code;
  } catch (...) {
    run.PutPreviousRunBack(CaughtError());
    throw;
  }
}

}  // namespace singa
