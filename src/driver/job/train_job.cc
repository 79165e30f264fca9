#include <cmath>
#include <filesystem>
#include <optional>
#include <thread>

#include "base/file_system.h"
#include "base/sha256.h"
#include "driver/job/graph_file.h"
#include "driver/job/interrupt.h"
#include "driver/job/job_rows.h"
#include "driver/job/run_job.h"
#include "driver/job/schedule.h"
#include "driver/job/workspace.h"
#include "driver/version.h"
#include "io/checkpoint/retention.h"
#include "train/init_params.h"
#include "train/trainer_state.h"

namespace singa {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string JoinNames(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

class TrainRun {
 public:
  TrainRun(const JobProto& job, const RunOptions& options, Progress* progress)
      : job_(job),
        progress_(*progress),
        threads_(WorkerThreads(job, options.threads)),
        trainer_(job, threads_),
        workspace_(WorkspacePath(job)) {
    Announce();
    trainer_.Allocate();
    schedule_.emplace(job, job.train_epochs() > 0 || job.test_epochs() > 0 ? CountRecords() : -1,
                      trainer_.batch());
    start_step_ = job.step();
    if (!options.resume || !Resume()) Begin();
    if (start_step_ > schedule_->steps())
      throw ConfigError("train_steps",
                        StrCat("the checkpoint to resume from is of step ", start_step_,
                               ", beyond the last, ", schedule_->steps()));
    metrics_file_.emplace(workspace_.metrics(), start_step_);
    WriteGraphFiles(trainer_.net(), workspace_.graph("train"), job.name());
    if (Evaluator* test = trainer_.evaluator(kTest))
      WriteGraphFiles(test->net(), workspace_.graph("test"), job.name());
  }

  ExitCode Run() {
    const Clock::time_point start = Clock::now();
    for (int64_t step = start_step_; step < schedule_->steps(); ++step) {
      RunDue(step);
      if (Interrupted()) return Stop(step);
      TrainStep(step);
    }
    RunAtEnd(schedule_->steps());
    if (Interrupted()) return Stop(schedule_->steps());
    const int64_t skipped = trainer_.exchange().skipped();
    progress_.Say(StrCat("done: ", schedule_->steps() - start_step_, " steps in ",
                         DurationText(SecondsSince(start)),
                         skipped > 0 ? StrCat("; ", skipped, " skipped") : "",
                         last_test_.empty() ? "" : "; test ", last_test_));
    return kExitOk;
  }

 private:
  int64_t CountRecords() {
    try {
      return trainer_.net().CountRecords();
    } catch (const ConfigError& error) {
      throw error.Under("neuralnet");
    }
  }

  void Announce() {
    const JobMemory memory = trainer_.memory();
    int64_t params = 0;
    for (const auto& param : trainer_.params().params()) params += param->size();
    progress_.Say(
        StrCat("singa ", kVersion, ": job \"", job_.name(), "\", ", trainer_.net().nodes().size(),
               " layers, ", params, " parameters, ", memory.total() >> 20, " MiB, ", threads_,
               threads_ == 1 ? " thread" : " threads", ", workspace ", workspace_.path()));
  }

  // First values, and an empty workspace; what an earlier run left is set aside.
  void Begin() {
    const std::vector<std::string> files(job_.checkpoint_path().begin(),
                                         job_.checkpoint_path().end());
    const InitReport report = InitParams(trainer_.ctx(), files, &trainer_.params());
    if (!files.empty() && !report.initialised.empty())
      progress_.Say("params that no file gives, initialised: " + JoinNames(report.initialised));
    if (!report.unused.empty())
      progress_.Say("params of the files that the net lacks: " + JoinNames(report.unused));
    if (workspace_.SetAsidePreviousRun())
      progress_.Say("moved the checkpoints and metrics of an earlier run to " + workspace_.path() +
                    "/previous");
  }

  bool Resume() {
    std::unique_ptr<Checkpoint> checkpoint =
        NewestValid(workspace_.path(), [this](const std::string& text) { progress_.Warn(text); });
    if (!checkpoint && !ListCheckpoints(workspace_.path()).empty())
      throw DataError(CheckpointFolder(workspace_.path()), -1,
                      "no checkpoint is intact; without -resume training starts again");
    if (!checkpoint) {
      progress_.Say("no checkpoint to resume from: training starts at step 0");
      return false;
    }
    TrainerState(&trainer_).Restore(*checkpoint);
    start_step_ = committed_ = checkpoint->step();
    if (checkpoint->state().Find("train/best")) RestoreBest(*checkpoint);
    // The run may have been killed between a checkpoint and what follows it.
    PosixFileSystem fs;
    ApplyRetention(fs, workspace_.path(), start_step_, job_.checkpoint_keep());
    CheckpointContent now;
    Describe(&now);
    if (now.conf_sha256 != checkpoint->manifest().conf_sha256)
      progress_.Warn("the configuration is not the one of the checkpoint");
    for (const auto& [name, value] : now.run) {
      auto it = checkpoint->manifest().run.find(name);
      if (it == checkpoint->manifest().run.end() || it->second != value)
        progress_.Warn(StrCat("\"", name,
                              "\" is not as it was for the checkpoint: the numbers may "
                              "differ from an undisturbed run's"));
    }
    progress_.Say(StrCat("resumed from ", checkpoint->dir(), " at step ", start_step_));
    return true;
  }

  // The link, too, may be missing.
  void RestoreBest(const Checkpoint& checkpoint) {
    best_ = checkpoint.state().Values<double>("train/best", Shape())[0];
    best_step_ = checkpoint.state().Values<int64_t>("train/best_step", Shape())[0];
    PosixFileSystem fs;
    if (best_step_ == checkpoint.step() && BestStep(workspace_.path()) != best_step_)
      SetBest(fs, workspace_.path(), best_step_);
  }

  void Describe(CheckpointContent* content) const {
    JobProto job = job_;
    job.clear_step();
    const std::string text = job.ShortDebugString();
    content->conf_sha256 = Sha256Hex(text.data(), text.size());
    content->run["build"] = std::string(kVersion);
    content->run["seed"] = job_.seed();
    content->run["threads"] = int64_t{threads_};
    content->run["topology"] = std::string("1 worker");
    content->run["instruction_set"] = InstructionSet();
    content->run["plain_kernels"] = int64_t{job_.plain_kernels()};
  }

  static bool Interrupted() { return InterruptCode() != kExitOk; }

  // What is due when `updates` are done. A signal ends an evaluation early: a resumed run starts
  // with it again.
  void RunDue(int64_t updates) {
    if (schedule_->Validate(updates)) Evaluate(kVal, updates);
    if (schedule_->Test(updates)) Evaluate(kTest, updates);
    if (schedule_->Checkpoint(updates)) TryCommit(updates);
  }

  void RunAtEnd(int64_t updates) {
    if (schedule_->Validate(updates)) Evaluate(kVal, updates);
    if (trainer_.evaluator(kTest)) Evaluate(kTest, updates);
    Commit(updates);
  }

  ExitCode Stop(int64_t updates) {
    Commit(updates);
    progress_.Say(StrCat("stopped by a signal at step ", updates,
                         "; the same command with -resume goes on from there"));
    return InterruptCode();
  }

  void TrainStep(int64_t step) {
    const Clock::time_point start = Clock::now();
    trainer_.TrainStep(step);
    train_seconds_ += SecondsSince(start);
    ++row_steps_;
    const double step_seconds = train_seconds_ / static_cast<double>(row_steps_);
    if (!schedule_->Display(step))
      return progress_.ShowStep(step, schedule_->steps(), step_seconds);
    const Speed speed = {static_cast<double>(trainer_.batch()) / step_seconds, 1e3 * step_seconds,
                         trainer_.TakeWaitMs() / static_cast<double>(row_steps_)};
    WriteRows("train", step, trainer_.metrics(), &speed, &*metrics_file_);
    progress_.ShowRow(step, schedule_->steps(), trainer_.metrics().entries(),
                      speed.samples_per_second, step_seconds);
    trainer_.metrics().Reset();
    train_seconds_ = 0;
    row_steps_ = 0;
  }

  void Evaluate(Phase phase, int64_t updates) {
    Evaluator* evaluator = trainer_.evaluator(phase);
    if (!evaluator) return;
    const bool test = phase == kTest;
    const std::optional<MetricSums> sums =
        evaluator->Run(test ? job_.test_steps() : job_.validate_steps(), Interrupted);
    if (!sums) return;
    WriteRows(test ? "test" : "validate", updates, *sums, nullptr, &*metrics_file_);
    const std::string text = MetricsText(sums->entries());
    progress_.Say(StrCat(test ? "test" : "validate", " step ", updates, ": ", text));
    if (test) last_test_ = text;
    NoteBest(*sums, updates, test);
  }

  // checkpoint_best names a metric of the validation phase where the job has one, else of the test;
  // a loss is best at its least, anything else at its most. A new best is committed at once.
  void NoteBest(const MetricSums& sums, int64_t updates, bool test) {
    if (updates == 0 || (test && trainer_.evaluator(kVal))) return;
    for (const MetricSums::Entry& entry : sums.entries()) {
      if (entry.name != job_.checkpoint_best()) continue;
      const bool least = entry.name.find("loss") != std::string::npos;
      if (std::isnan(entry.mean())) return;
      if (!best_ || (least ? entry.mean() < *best_ : entry.mean() > *best_)) {
        best_ = entry.mean();
        best_step_ = updates;
        TryCommit(updates);
      }
      return;
    }
  }

  // A disk that is full now may not be so at the next checkpoint.
  void TryCommit(int64_t updates) {
    try {
      Commit(updates);
    } catch (const FileError& error) {
      progress_.Warn(
          StrCat("no checkpoint of step ", updates, ", training goes on: ", error.what()));
    }
  }

  void Commit(int64_t updates) {
    PosixFileSystem fs;
    if (committed_ == updates) {
      if (best_step_ == updates) SetBest(fs, workspace_.path(), updates);
      return;
    }
    CheckpointContent content;
    content.step = updates;
    Describe(&content);
    const TrainerState state(&trainer_);
    state.Save(&content);
    if (best_) {
      content.state.push_back(Stored("train/best", Shape(), &*best_));
      content.state.push_back(Stored("train/best_step", Shape(), &best_step_));
    }
    const std::string dir = WriteCheckpoint(fs, workspace_.path(), content);
    committed_ = updates;
    if (best_step_ == updates) SetBest(fs, workspace_.path(), updates);
    ApplyRetention(fs, workspace_.path(), updates, job_.checkpoint_keep());
    progress_.Say("checkpoint committed: " + dir);
  }

  const JobProto& job_;
  Progress& progress_;
  const int threads_;
  Trainer trainer_;
  Workspace workspace_;
  std::optional<Schedule> schedule_;
  std::optional<MetricsFile> metrics_file_;
  int64_t start_step_ = 0, committed_ = -1;
  double train_seconds_ = 0;  // since the last row
  int64_t row_steps_ = 0;
  std::optional<double> best_;
  int64_t best_step_ = -1;
  std::string last_test_;
};

}  // namespace

std::string WorkspacePath(const JobProto& job) {
  if (!job.cluster().workspace().empty()) return job.cluster().workspace();
  return "./singa-" + (job.name().empty() ? "job" : job.name());
}

int WorkerThreads(const JobProto& job, int asked) {
  if (asked > 0) return asked;
  if (job.has_num_openblas_threads()) return std::max(1, job.num_openblas_threads());
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

ExitCode TrainJob(const JobProto& job, const RunOptions& options, Progress* progress) {
  return TrainRun(job, options, progress).Run();
}

}  // namespace singa
