#include "driver/job/workspace.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/file_system.h"
#include "io/checkpoint/checkpoint.h"
#include "singa/base/error.h"

namespace singa {

Workspace::Workspace(std::string path) : path_(std::move(path)) {
  PosixFileSystem fs;
  for (const char* folder : {"", "/visualization", "/log"}) fs.MakeDirectories(path_ + folder);
  const std::string lock = path_ + "/.lock";
  lock_ = Descriptor(open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (lock_.get() < 0)
    throw FileError(errno == EACCES ? kExitNoPermission : kExitCantCreate, lock,
                    std::strerror(errno));
  if (flock(lock_.get(), LOCK_EX | LOCK_NB) != 0)
    throw FileError(kExitCantCreate, path_, "another singa job is running in this workspace");
}

std::string Workspace::SetAsidePreviousRun() {
  PosixFileSystem fs;
  const bool has_metrics = std::filesystem::exists(metrics());
  if (has_metrics && !std::filesystem::is_regular_file(metrics()))
    throw FileError(kExitCantCreate, metrics(), "is no file");
  if (ListCheckpoints(path_).empty()) {  // previous/ keeps the run before, which has some
    if (!has_metrics) return "";
    fs.Rename(metrics(), metrics() + ".old");
    return StrCat("moved the metrics of an earlier run to ", metrics(), ".old");
  }
  const std::string previous = path_ + "/previous";
  fs.RemoveTree(previous);
  fs.MakeDirectories(previous);
  const std::string checkpoint = CheckpointFolder(path_);
  fs.Rename(checkpoint, previous + "/checkpoint");
  if (has_metrics) fs.Rename(metrics(), previous + "/metrics.jsonl");
  fs.SyncDirectory(path_);
  return StrCat("moved the checkpoints and metrics of an earlier run to ", previous);
}

std::string WorkspacePath(const JobProto& job) {
  std::filesystem::path path = job.cluster().workspace();
  if (path.empty()) path = "./singa-" + (job.name().empty() ? "job" : job.name());
  return path.lexically_normal().string();
}

}  // namespace singa
