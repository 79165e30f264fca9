#include "driver/workspace/workspace.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "driver/signals/interrupt.h"
#include "singa/base/error.h"

namespace singa {

Workspace::Workspace(std::string path, const WorkspaceOptions& options) : path_(std::move(path)) {
  PosixFileSystem().MakeDirectories(path_);  // the user's path, so links are followed
  files_ = options.files ? options.files : &own_files_.emplace(path_);
  lock_ = std::make_unique<LockFile>(files_, path_ + "/.lock", LockHolder::Self(options.rank),
                                     options.lock);
  AwaitLock(options);
  for (const std::string& folder : {visualization(), log()}) {
    files_->MakeDirectories(folder);
    files_->List(folder);  // throws before the job starts if it is another user's link
  }
}

// Polls, as shared file systems do not report that a lock is free.
void Workspace::AwaitLock(const WorkspaceOptions& options) {
  const SteadyClock steady;
  const Clock& clock = options.clock ? *options.clock : steady;
  const int64_t deadline = clock.Now() + options.wait_seconds * kSecond;
  for (bool said = false; !lock_->TryLock();) {
    const std::string who = lock_->holder().Text();
    if (lock_->HolderRunsHere())
      throw WriteError(kExitCantCreate, path_,
                       StrCat("another singa job is running in this workspace: ", who,
                              "; set cluster.workspace to another folder for this job"),
                       0);
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

std::string WorkspacePath(const JobProto& job) {
  std::filesystem::path path = job.cluster().workspace();
  std::string name = job.name().empty() ? "job" : job.name();
  std::ranges::replace(name, '/', '_');
  if (path.empty()) path = "./singa-" + name;
  return path.lexically_normal().string();
}

}  // namespace singa
