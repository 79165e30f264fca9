#include "driver/job/workspace.h"

#include <chrono>
#include <filesystem>
#include <thread>

#include "cluster/process/job_process.h"
#include "driver/job/interrupt.h"
#include "io/checkpoint/checkpoint.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// `path` from `folder` on; none: it is elsewhere.
std::optional<std::filesystem::path> PathWithin(const std::string& path,
                                                const std::string& folder) {
  const auto within = PlaceOf(path).lexically_relative(PlaceOf(folder));
  if (within.empty() || *within.begin() == "..") return {};
  return within;
}

}  // namespace

Workspace::Workspace(std::string path, const WorkspaceOptions& options) : path_(std::move(path)) {
  PosixFileSystem().MakeDirectories(path_);  // the user's own path: links lead on
  files_ = options.files ? options.files : &own_files_.emplace(path_);
  lock_ = std::make_unique<LockFile>(files_, path_ + "/.lock", LockHolder::Self(options.rank),
                                     options.lock);
  AwaitLock(options);
  for (const std::string& folder : {visualization(), log()}) {
    files_->MakeDirectories(folder);
    files_->List(folder);  // another user's link is an error before the job starts
  }
}

// File systems that several hosts share tell nobody when a lock is free.
void Workspace::AwaitLock(const WorkspaceOptions& options) {
  const SteadyClock steady;
  const Clock& clock = options.clock ? *options.clock : steady;
  const int64_t deadline = clock.Now() + options.wait_seconds * kSecond;
  for (bool said = false; !lock_->TryLock();) {
    const std::string who = lock_->holder().Text();
    if (lock_->HolderRunsHere())
      throw WriteError(kExitCantCreate, path_,
                       StrCat("another singa job is running in this workspace: ", who), 0);
    if (clock.Now() >= deadline)
      throw PeerError(StrCat(path_, ": its lock is still held by ", who, " after ",
                             options.wait_seconds, " s; ", lock_->Remedy()));
    if (!said && options.say)
      options.say(StrCat(path_, ": its lock is held by ", who, "; waiting up to ",
                         options.wait_seconds, " s for it"));
    said = true;
    if (InterruptCode() != kExitOk)
      throw Error(InterruptCode(), "stopped by a signal while it waited for the workspace's lock");
    if (options.pause)
      options.pause();
    else
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
}

std::string Workspace::SetAsidePreviousRun(std::vector<std::string>* files) {
  const bool has_metrics = std::filesystem::exists(metrics());
  if (has_metrics && !std::filesystem::is_regular_file(metrics()))
    throw WriteError(kExitCantCreate, metrics(), "is no file", 0);
  if (ListCheckpoints(path_).empty()) {  // previous/ keeps the run before, which has some
    if (!has_metrics) return "";
    files_->Rename(metrics(), metrics() + ".old");
    files_->SyncDirectory(path_);
    return StrCat("moved the metrics of an earlier run to ", metrics(), ".old");
  }
  const std::string previous = path_ + "/previous";
  files_->RemoveTree(previous);
  files_->MakeDirectories(previous);
  files_->Rename(CheckpointFolder(path_), previous + "/checkpoint");
  for (std::string& file : *files) file = PlaceSetAside(file);
  if (has_metrics) files_->Rename(metrics(), previous + "/metrics.jsonl");
  files_->SyncDirectory(previous);
  files_->SyncDirectory(path_);
  return StrCat("moved the checkpoints and metrics of an earlier run to ", previous);
}

void Workspace::CheckStays(const std::vector<std::string>& files) const {
  if (ListCheckpoints(path_).empty()) return;
  const std::string previous = path_ + "/previous";
  for (const std::string& file : files)
    if (PathWithin(file, previous))
      throw ConfigError("checkpoint_path", StrCat("is in ", previous,
                                                  ", which this run replaces before all "
                                                  "processes have read it; move it elsewhere"));
}

std::string Workspace::PlaceSetAside(const std::string& path) const {
  const auto within = PathWithin(path, CheckpointFolder(path_));
  return within ? path_ + "/previous/checkpoint/" + within->string() : path;
}

JobProto Workspace::AfterLostStart(JobProto job) const {
  const std::string previous = path_ + "/previous";
  if (!ListCheckpoints(path_).empty() || ListCheckpoints(previous).empty()) return job;
  std::error_code error;
  for (std::string& path : *job.mutable_checkpoint_path())
    if (PlaceOf(path) == PlaceOf(path_))
      path = previous;
    else if (PlaceOf(path) == PlaceOf(CheckpointFolder(path_)) ||  // with an unfinished one
             !std::filesystem::exists(path, error))
      path = PlaceSetAside(path);
  return job;
}

WorkspaceOptions WorkspaceOptionsOf(const JobProto& job, const RunOptions& options,
                                    Progress* progress) {
  WorkspaceOptions of;
  of.files = options.files;
  of.wait_seconds = job.cluster().start_timeout();
  of.rank = options.process ? options.process->part().rank() : 0;
  of.say = [progress](const std::string& text) { progress->Warn(text); };
  return of;
}

std::string WorkspacePath(const JobProto& job) {
  std::filesystem::path path = job.cluster().workspace();
  if (path.empty()) path = "./singa-" + (job.name().empty() ? "job" : job.name());
  return path.lexically_normal().string();
}

}  // namespace singa
