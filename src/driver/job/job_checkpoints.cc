#include "driver/job/job_checkpoints.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>
#include <utility>

#include "base/file/file_system.h"
#include "base/system/failpoint.h"
#include "driver/job/previous_run.h"
#include "driver/job/resume_fit.h"
#include "driver/job/run_facts.h"
#include "driver/workspace/marked_files.h"
#include "io/checkpoint/checkpoint_names.h"
#include "io/checkpoint/retention.h"
#include "train/state/process_state.h"
#include "train/state/trainer_state.h"

namespace singa {
namespace {

constexpr std::chrono::seconds kLongestWaitForDisk{20};  // for the last checkpoint of a job

}  // namespace

JobCheckpoints::JobCheckpoints(const JobProto& job, const Workspace& workspace,
                               WorkerGroups* groups, JobSnapshot* snapshot, Progress* progress,
                               std::function<void()> sync_rows)
    : job_(job),
      workspace_(workspace.path()),
      files_(*workspace.files()),
      groups_(*groups),
      snapshot_(*snapshot),
      progress_(*progress),
      sync_rows_(std::move(sync_rows)),
      best_(job) {}

std::optional<int64_t> JobCheckpoints::Resume() {
  std::unique_ptr<Checkpoint> checkpoint =
      NewestValid(workspace_, [this](const std::string& text) { progress_.Warn(text); });
  if (!checkpoint) {
    if (!ListCheckpoints(workspace_).empty())
      throw DataError(CheckpointFolder(workspace_), -1,
                      "no checkpoint is intact; without -resume training starts again");
    const std::string previous = workspace_ + "/previous";
    progress_.Warn(StrCat("no checkpoint to resume from: training starts at step 0",
                          ListCheckpoints(previous).empty()
                              ? ""
                              : StrCat("; those of the run before are in ", previous)));
    return std::nullopt;
  }
  RestoreGroups(*checkpoint);
  resumed_from_ = checkpoint->dir();
  const int64_t step = checkpoint->step();
  committed_ = groups_.steps().done();
  in_round_ = IsInRound(*checkpoint, job_.cluster());
  if (const std::string warning = best_.Restore(checkpoint->state()); !warning.empty())
    progress_.Warn(warning);
  if (best_.step() >= 0) FindBest();
  // The run may have been killed after a checkpoint and before its clean-up.
  TidyUp(step);
  WarnOfChanges(*checkpoint);
  return step;
}

void JobCheckpoints::RestoreGroups(const Checkpoint& checkpoint) {
  CheckFits(checkpoint, job_, &groups_.lead());
  try {
    for (const int g : groups_.here())
      TrainerState(groups_.team(g).trainers(), g, 0).Restore(checkpoint);
    groups_.backend().model_state().RestoreState(checkpoint.state());
  } catch (const MisfitError& error) {
    ThrowMisfit(checkpoint, error);
  }
  for (int g = 0; g < groups_.size(); ++g)
    groups_.steps().gate().SetSteps(g, TrainerState::StepsOf(checkpoint, g));
}

void JobCheckpoints::WarnOfChanges(const Checkpoint& checkpoint) {
  for (const std::string& change : ChangesSince(checkpoint, job_, &groups_)) progress_.Warn(change);
  Trainer* const lead = &groups_.lead();
  for (const std::string& warning :
       {UnusedStates(checkpoint, job_, lead), HandedStates(checkpoint, lead),
        UnusedExchangeState(checkpoint, job_, groups_.plan().mode, lead)})
    if (!warning.empty()) progress_.Warn(warning);
}

// The link to the best may be missing or old, if the run was killed before it was set.
void JobCheckpoints::FindBest() {
  std::error_code error;
  const std::string dir = StrCat(CheckpointFolder(workspace_), "/", StepName(best_.step()));
  const bool gone = !std::filesystem::exists(dir, error);
  linked_ = gone ? best_.step() : BestStep(workspace_).value_or(-1);
  LinkBest(files_);
}

void JobCheckpoints::NoteBest(const MetricSums& sums, int64_t updates) {
  if (best_.Note(sums, updates) && !TryCommit(updates) && !Has(updates)) best_.Forget();
}

// A disk that is full now may have room at the next checkpoint.
bool JobCheckpoints::TryCommit(int64_t updates) {
  try {
    Commit(updates);
    return true;
  } catch (const WriteError& error) {
    progress_.Warn(Has(updates) ? StrCat("checkpoint/best is not step ", updates, " yet, training ",
                                         "goes on: ", error.what())
                                : StrCat("no checkpoint of step ", updates,
                                         ", training goes on: ", error.what()));
    return false;
  }
}

// Tries again for a while, as the disk may soon have room or a server may come back.
void JobCheckpoints::CommitLast(int64_t updates) {
  constexpr std::chrono::milliseconds kFirstPause{100}, kLongestPause{2000};
  const auto deadline = std::chrono::steady_clock::now() + kLongestWaitForDisk;
  bool said = false;
  for (auto pause = kFirstPause;; pause = std::min(2 * pause, kLongestPause)) {
    try {
      return Commit(updates);
    } catch (const WriteError& error) {
      if (std::chrono::steady_clock::now() + pause > deadline) throw;
      if (!said)
        progress_.Warn(StrCat("no checkpoint of step ", updates, " yet, trying again for ",
                              kLongestWaitForDisk.count(), " s: ", error.what()));
      said = true;
    }
    std::this_thread::sleep_for(pause);
  }
}

// Only warns of errors: an old checkpoint that stays does no harm.
void JobCheckpoints::Retain(FileSystem& fs, int64_t updates) {
  try {
    ApplyRetention(fs, workspace_, updates, job_.checkpoint_keep());
    fs.RemoveTree(OldestRunFolder(workspace_));  // if it exists
  } catch (const FileError& error) {
    progress_.Warn(StrCat("an old checkpoint is left behind: ", error.what()));
  }
}

void JobCheckpoints::TidyUp(int64_t step) {
  try {
    RemoveUnfinished(files_, workspace_);
  } catch (const FileError& error) {
    progress_.Warn(StrCat("unfinished checkpoints may be left behind: ", error.what()));
  }
  Retain(files_, step);
}

void JobCheckpoints::Commit(int64_t updates) {
  ActivityMark& mark = groups_.lead().model().mark();
  MarkedFiles fs(&files_, &mark);
  const JobSnapshot::Hold hold(&snapshot_);
  groups_.steps().NoteSteps(0, updates);
  const std::vector<int64_t> steps_now = groups_.steps().done();
  const bool is_new = committed_ != steps_now || (in_round_ && updates == groups_.steps().total());
  if (!is_new && linked_ == best_.step()) return;
  if (is_new) Write(fs, updates, steps_now);
  const ActivityMark::Scope writes(&mark, Activity::kCheckpoint);
  LinkBest(fs);  // retention reads the link
  Retain(fs, updates);
}

// Sets the link to the best checkpoint. If this fails, each later commit tries again.
void JobCheckpoints::LinkBest(FileSystem& fs) {
  if (best_.step() == linked_) return;
  SetBest(fs, workspace_, best_.step());
  linked_ = best_.step();
}

void JobCheckpoints::Write(FileSystem& fs, int64_t updates, const std::vector<int64_t>& steps_now) {
  CheckpointContent content;
  content.step = updates;
  DescribeRun(job_, &groups_, &content);
  snapshot_.Collect(updates);
  const std::vector<ProcessState> others = snapshot_.CollectStates();
  SINGA_FAILPOINT("leader_collected");
  std::vector<TrainerState> states;
  states.reserve(groups_.here().size());
  for (const int g : groups_.here()) {
    states.emplace_back(groups_.team(g).trainers(), g, steps_now[g]);
    if (g == 0)
      for (const ProcessState& other : others) states.back().Join(other.rows());
    states.back().Save(&content);
  }
  groups_.backend().model_state().SaveState(&content.state);
  for (const ProcessState& other : others)
    for (StoredTensor& tensor : TensorsOf(other)) content.state.push_back(std::move(tensor));
  best_.Save(&content.state);
  const ActivityMark::Scope writes(&groups_.lead().model().mark(), Activity::kCheckpoint);
  sync_rows_();
  const std::string dir = WriteCheckpoint(fs, workspace_, content);
  committed_ = steps_now;
  in_round_ = false;
  if (groups_.process())
    groups_.process()->leader()->NoteStart(BeginAt(steps_now, groups_.steps().total(), dir,
                                                   groups_.lead().replica().rule().epoch_steps()));
  progress_.Say("checkpoint committed: " + dir);
  told_();
}

}  // namespace singa
