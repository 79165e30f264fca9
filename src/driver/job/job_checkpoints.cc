#include "driver/job/job_checkpoints.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <set>
#include <sstream>
#include <thread>
#include <tuple>
#include <utility>

#include "base/file/file_system.h"
#include "base/file/sha256.h"
#include "base/system/failpoint.h"
#include "base/text/short_text.h"
#include "driver/job/announcement.h"
#include "driver/job/conf_fields.h"
#include "driver/job/marked_files.h"
#include "driver/job/previous_run.h"
#include "driver/job/resume_fit.h"
#include "driver/version.h"
#include "io/checkpoint/checkpoint_names.h"
#include "io/checkpoint/retention.h"
#include "io/checkpoint/trained_classes.h"
#include "tensor/gpu/gpus.h"
#include "train/state/process_state.h"
#include "train/state/trainer_state.h"

namespace singa {
namespace {

constexpr char kUpdater[] = "updater";
constexpr char kTestThreads[] = "test_threads";
// Values that not all jobs write: they need class folders or checkpoint_best, or a newer singa.
constexpr const char* kSaidBySome[] = {kClasses, kUpdater, kTestThreads};
constexpr std::chrono::seconds kLongestWaitForDisk{20};  // for the last checkpoint of a job

// Returns whether small values of the metric are good, as of a loss. Of other metrics, such as the
// accuracy, the largest is the best.
bool LeastIsBest(const std::string& metric) {
  std::istringstream words(metric);
  for (std::string word; std::getline(words, word, '_');)
    for (const char* least : {"loss", "error", "mae", "bits", "perplexity", "ppl"})
      if (word == least) return true;
  return false;
}

// Describes the GPUs and their libraries, on which the bits of products and sums depend.
void DescribeGpus(WorkerGroups* groups, std::map<std::string, RunValue>* run) {
  std::set<std::string> models;
  for (const int g : groups->here())
    for (Trainer* trainer : groups->team(g).trainers())
      if (Stream* const stream = trainer->model().ctx().stream) models.insert(stream->gpu().name());
  (*run)["gpus"] = JoinNames({models.begin(), models.end()});
  (*run)["updates"] = groups->teams().UpdatesOnGpus() ? "GPUs" : "host";
  (*run)["CUDA"] = GpuVersions();
  for (const GpuLibrary& each : GpuLibraries())
    if (std::string why; each.library->Available(&why)) (*run)[each.name] = VersionOf(each);
}

// Returns the value of a fact about a run, as a warning shows it.
std::string ValueIn(const std::map<std::string, RunValue>& run, const std::string& name) {
  constexpr size_t kMostBytes = 100;
  const auto it = run.find(name);
  return it == run.end() ? "not known" : "\"" + ShortText(it->second.text(), kMostBytes) + "\"";
}

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
      sync_rows_(std::move(sync_rows)) {}

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
  CheckFits(*checkpoint, job_, &groups_.lead());
  try {
    for (const int g : groups_.here())
      TrainerState(groups_.team(g).trainers(), g, 0).Restore(*checkpoint);
    groups_.backend().model_state().RestoreState(checkpoint->state());
  } catch (const MisfitError& error) {
    ThrowMisfit(*checkpoint, error);
  }
  for (int g = 0; g < groups_.size(); ++g)
    groups_.steps().gate().SetSteps(g, TrainerState::StepsOf(*checkpoint, g));
  resumed_from_ = checkpoint->dir();
  const int64_t step = checkpoint->step();
  committed_ = groups_.steps().done();
  in_round_ = IsInRound(*checkpoint, job_.cluster());
  if (checkpoint->state().Find("train/best")) RestoreBest(*checkpoint);
  // The run may have been killed after a checkpoint and before its clean-up.
  TidyUp(step);
  WarnOfChanges(*checkpoint);
  Trainer* const lead = &groups_.lead();
  for (const std::string& warning :
       {UnusedStates(*checkpoint, job_, lead), HandedStates(*checkpoint, lead),
        UnusedExchangeState(*checkpoint, job_, groups_.plan().mode, lead)})
    if (!warning.empty()) progress_.Warn(warning);
  progress_.Say(StrCat("resumed from ", checkpoint->dir(), " at step ", step));
  return step;
}

// Restores the best value. Its link may be missing or old, if the run was killed before it was set.
void JobCheckpoints::RestoreBest(const Checkpoint& checkpoint) {
  best_ = checkpoint.state().Values<double>("train/best", Shape())[0];
  best_step_ = checkpoint.state().Values<int64_t>("train/best_step", Shape())[0];
  std::error_code error;
  const std::string dir = StrCat(CheckpointFolder(workspace_), "/", StepName(best_step_));
  const bool gone = !std::filesystem::exists(dir, error);
  linked_ = gone ? best_step_ : BestStep(workspace_).value_or(-1);
  LinkBest(files_);
}

void JobCheckpoints::WarnOfChanges(const Checkpoint& checkpoint) {
  CheckpointContent now;
  Describe(&now);
  const Manifest& then = checkpoint.manifest();
  const std::string fields = then.conf.empty() ? "" : ChangedFields(then.conf, now.conf);
  if (then.conf.empty() ? now.conf_sha256 != then.conf_sha256 : !fields.empty())
    progress_.Warn(StrCat("the configuration differs from that of the checkpoint",
                          fields.empty() ? "" : ": ", fields));
  std::set<std::string> changed;
  for (const auto& [name, value] : now.run)
    if (const auto it = then.run.find(name); it == then.run.end() || it->second != value)
      changed.insert(name);
  for (const auto& [name, value] : then.run)
    if (now.run.count(name) == 0) changed.insert(name);
  for (const char* name : kSaidBySome)
    if (then.run.count(name) == 0 || now.run.count(name) == 0) changed.erase(name);
  for (const std::string& name : changed)
    progress_.Warn(StrCat("\"", name, "\" differs from the checkpoint (was ",
                          ValueIn(then.run, name), ", is ", ValueIn(now.run, name),
                          "): the results may differ from those of an uninterrupted run"));
}

void JobCheckpoints::Describe(CheckpointContent* content) const {
  JobProto job = job_;
  job.clear_step();
  const std::string text = job.ShortDebugString();
  content->conf_sha256 = Sha256Hex(text.data(), text.size());
  content->conf = FieldsOf(job_);
  content->run["version"] = std::string(kSingaVersion);
  content->run["build"] = BuildId();
  content->run["seed"] = job_.seed();
  content->run[kUpdater] = UpdaterName(job_);
  content->run["threads"] = int64_t{groups_.lead().model().ctx().threads};
  if (job_.has_checkpoint_best())  // the state holds the best value
    content->run[kTestThreads] = int64_t{groups_.lead().model().evaluation_threads()};
  content->run["topology"] = WorkersText(job_.cluster());
  content->run["instruction_set"] = InstructionSet();
  SetClasses(groups_.lead().model().readers().ClassNames(), &content->run);
  content->run["plain_kernels"] = int64_t{job_.plain_kernels()};
  if (job_.gpu_size() == 0) return;
  content->run["precision"] = JobProto::Precision_Name(job_.precision());
  DescribeGpus(&groups_, &content->run);
}

void JobCheckpoints::NoteBest(const MetricSums& sums, int64_t updates) {
  for (const MetricSums::Shown& shown : sums.Values()) {
    if (shown.name != job_.checkpoint_best()) continue;
    const bool least = LeastIsBest(shown.name);
    if (std::isnan(shown.value)) return;
    if (!best_ || (least ? shown.value < *best_ : shown.value > *best_)) {
      const auto before = std::make_pair(best_, best_step_);
      best_ = shown.value;
      best_step_ = updates;
      if (!TryCommit(updates) && !Has(updates)) std::tie(best_, best_step_) = before;
    }
    return;
  }
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
  if (!is_new && linked_ == best_step_) return;
  if (is_new) Write(fs, updates, steps_now);
  const ActivityMark::Scope writes(&mark, Activity::kCheckpoint);
  LinkBest(fs);  // retention reads the link
  Retain(fs, updates);
}

// Sets the link to the best checkpoint. If this fails, each later commit tries again.
void JobCheckpoints::LinkBest(FileSystem& fs) {
  if (best_step_ == linked_) return;
  SetBest(fs, workspace_, best_step_);
  linked_ = best_step_;
}

void JobCheckpoints::Write(FileSystem& fs, int64_t updates, const std::vector<int64_t>& steps_now) {
  CheckpointContent content;
  content.step = updates;
  Describe(&content);
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
  if (best_) {
    content.state.push_back(Stored("train/best", Shape(), &*best_));
    content.state.push_back(Stored("train/best_step", Shape(), &best_step_));
  }
  const ActivityMark::Scope writes(&groups_.lead().model().mark(), Activity::kCheckpoint);
  sync_rows_();
  const std::string dir = WriteCheckpoint(fs, workspace_, content);
  committed_ = steps_now;
  in_round_ = false;
  if (groups_.process())
    groups_.process()->leader()->NoteStart(BeginAt(steps_now, groups_.steps().total(), dir));
  progress_.Say("checkpoint committed: " + dir);
  told_();
}

}  // namespace singa
