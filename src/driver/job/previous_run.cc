#include "driver/job/previous_run.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/file/file_system.h"
#include "base/text/json_text.h"
#include "driver/job/divided_job.h"
#include "io/checkpoint/checkpoint.h"
#include "io/metrics/event_files.h"

namespace singa {
namespace {

namespace fs = std::filesystem;

// Returns `path` relative to `folder`; nullopt: it is elsewhere.
std::optional<fs::path> PathWithin(const std::string& path, const std::string& folder) {
  const auto within = PlaceOf(path).lexically_relative(PlaceOf(folder));
  if (within.empty() || *within.begin() == "..") return {};
  return within;
}

// Returns whether a file has rows of trained steps, not only of a test of the first values.
bool HasRowsOfSteps(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  for (std::string line; std::getline(file, line);) {
    const nlohmann::json row = ParsedJson(line);
    const bool evaluates = row.is_object() && row.contains("phase") && row["phase"] != "train";
    if (!evaluates || !row.contains("step") || row["step"] != 0) return true;
  }
  return false;
}

}  // namespace

std::string OldestRunFolder(const std::string& workspace) { return workspace + "/previous.old"; }

PreviousRun::PreviousRun(const Workspace& workspace)
    : files_(*workspace.files()),
      workspace_(workspace.path()),
      metrics_(workspace.metrics()),
      previous_(workspace_ + "/previous") {}

void PreviousRun::Move(const std::string& from, const std::string& to) {
  files_.Rename(from, to);
  moved_.emplace_back(from, to);
}

std::string PreviousRun::SetAside(std::vector<std::string>* files) {
  const bool has_metrics = fs::exists(metrics_);
  if (has_metrics && !fs::is_regular_file(metrics_))
    throw WriteError(kExitCantCreate, metrics_, "is no file", 0);
  // Without checkpoints only the metrics move: previous/ keeps the run before, which has some.
  if (ListCheckpoints(workspace_).empty()) {
    if (!has_metrics) return "";
    Move(metrics_, metrics_ + ".old");
    files_.SyncDirectory(workspace_);
    return StrCat("moved the metrics of an earlier run to ", metrics_, ".old");
  }
  try {
    MoveAll(has_metrics);
  } catch (...) {
    UndoMoves();
    throw;
  }
  for (std::string& file : *files) file = PlaceSetAside(file);
  return StrCat("moved the checkpoints and metrics of an earlier run to ", previous_);
}

void PreviousRun::MoveAll(bool has_metrics) {
  files_.RemoveTree(OldestRunFolder(workspace_));
  if (fs::exists(previous_)) Move(previous_, OldestRunFolder(workspace_));
  files_.MakeDirectories(previous_);
  Move(CheckpointFolder(workspace_), previous_ + "/checkpoint");
  if (has_metrics) Move(metrics_, previous_ + "/metrics.jsonl");
  for (const std::string& name : ListEventFiles(&files_, workspace_))
    Move(workspace_ + "/" + name, previous_ + "/" + name);
  const std::string partition = PartitionFile(workspace_);
  if (fs::exists(partition)) Move(partition, PartitionFile(previous_));
  files_.SyncDirectory(previous_);
  files_.SyncDirectory(workspace_);
}

// Drops its own errors, as the caller throws the error that stopped the moves.
void PreviousRun::UndoMoves() noexcept {
  try {
    PutBack();
  } catch (const std::exception&) {
    moved_.clear();  // files that are in previous/ stay there
  }
}

void PreviousRun::PutBackAfter(const Error& why, Progress* progress) {
  if (moved_.empty() || why.code() >= 128) return;
  try {
    if (!ListCheckpoints(workspace_).empty() || HasRowsOfSteps(metrics_)) return;
    const bool metrics_moved = std::any_of(
        moved_.begin(), moved_.end(), [this](const auto& move) { return move.first == metrics_; });
    if (!metrics_moved) files_.RemoveTree(metrics_);  // this run's rows: tests of its first values
    for (const std::string& name : ListEventFiles(&files_, workspace_))  // this run's, too
      files_.RemoveTree(workspace_ + "/" + name);
    PutBack();
    progress->Say(StrCat("this run left no checkpoint and no row of a step: the earlier run is ",
                         "back in ", workspace_));
  } catch (const std::exception& error) {
    progress->Warn(StrCat("the earlier run is still set aside: ", error.what()));
  }
}

// Undoes the moves in reverse order, so that a power loss leaves a state that SetAside can also
// leave.
void PreviousRun::PutBack() {
  for (; !moved_.empty(); moved_.pop_back()) {
    const auto& [from, to] = moved_.back();
    if (from != metrics_) files_.RemoveTree(from);  // this run's unfinished checkpoints
    files_.Rename(to, from);
  }
  if (fs::is_directory(previous_) && fs::is_empty(previous_)) files_.RemoveTree(previous_);
  files_.SyncDirectory(workspace_);
}

void PreviousRun::CheckStays(const std::vector<std::string>& files) const {
  if (ListCheckpoints(workspace_).empty()) return;
  for (const std::string& file : files)
    if (PathWithin(file, previous_))
      throw ConfigError("checkpoint_path", StrCat("is in ", previous_,
                                                  ", which this run replaces before all "
                                                  "processes have read it; move it elsewhere"));
}

std::string PreviousRun::PlaceSetAside(const std::string& path) const {
  const auto within = PathWithin(path, CheckpointFolder(workspace_));
  return within ? previous_ + "/checkpoint/" + within->string() : path;
}

JobProto PreviousRun::AfterLostStart(JobProto job) const {
  if (!ListCheckpoints(workspace_).empty() || ListCheckpoints(previous_).empty()) return job;
  std::error_code error;
  for (std::string& path : *job.mutable_checkpoint_path())
    if (const auto within = PathWithin(path, previous_);
        within && fs::exists(OldestRunFolder(workspace_), error))
      path = OldestRunFolder(workspace_) + "/" + within->string();
    else if (PlaceOf(path) == PlaceOf(workspace_))
      path = previous_;
    else if (PlaceOf(path) == PlaceOf(CheckpointFolder(workspace_)) ||  // maybe with an unfinished
                                                                        // one
             !fs::exists(path, error))
      path = PlaceSetAside(path);
  return job;
}

}  // namespace singa
