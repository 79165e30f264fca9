#include "base/file/lock_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "base/file/sha256.h"
#include "base/system/host_name.h"
#include "base/system/process_stat.h"

namespace singa {
namespace {

constexpr char kTitle[] = "singa-lock-1";
constexpr char kHeldSuffix[] = ".held";

constexpr char kUnknownBoot[] = "?";

std::string OwnBoot() {
  const std::string id = BootId();
  return id.empty() ? kUnknownBoot : id;
}

bool MayBeThisBoot(const std::string& boot) {
  const std::string here = OwnBoot();
  return boot == here || boot == kUnknownBoot || here == kUnknownBoot;
}

// Returns the start of a process; -1: unknown.
int64_t StartOf(int64_t pid) {
  const std::optional<ProcessStat> stat = ReadProcessStat(pid);
  return stat ? stat->start : -1;
}

std::string TextOf(const LockHolder& holder) {
  return StrCat(kTitle, " ", holder.host, " ", holder.pid, " ", holder.rank, " ", holder.boot, " ",
                holder.start, "\n");
}

LockHolder HolderIn(int file) {
  std::array<char, 1024> bytes;
  const ssize_t n = ::pread(file, bytes.data(), bytes.size(), 0);
  std::istringstream words(std::string(bytes.data(), static_cast<size_t>(std::max<ssize_t>(n, 0))));
  std::string title;
  LockHolder holder;
  words >> title >> holder.host >> holder.pid >> holder.rank >> holder.boot >> holder.start;
  if (!words || title != kTitle || holder.pid <= 0) return {};
  holder.host = Printable(holder.host);
  return holder;
}

// Opens a file to read. Makes no file, follows no link, and does not wait for the other end of a
// pipe.
Descriptor OpenToRead(const std::string& path) {
  return Descriptor(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
}

int CallFlock(int file) {
  while (::flock(file, LOCK_EX | LOCK_NB) != 0)
    if (errno != EINTR) return errno;
  return 0;
}

int CallOfdLock(int file) {
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  while (::fcntl(file, F_OFD_SETLK, &lock) != 0)
    if (errno != EINTR) return errno;
  return 0;
}

// Finds the holder in /proc/locks, with lines like "3: FLOCK ADVISORY WRITE 4711 08:01:123456 0
// EOF". Lines of waiters have "->".
LockHolder FindInKernel(int file) {
  struct stat status;
  if (::fstat(file, &status) != 0) return {};
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    std::istringstream words(line);
    std::string number, kind, advisory, access, place;
    LockHolder holder;
    words >> number >> kind >> advisory >> access >> holder.pid >> place;
    unsigned major_number = 0, minor_number = 0;
    unsigned long inode = 0;
    if (!words ||
        std::sscanf(place.c_str(), "%x:%x:%lu", &major_number, &minor_number, &inode) != 3)
      continue;
    if (inode != status.st_ino || major_number != major(status.st_dev) ||
        minor_number != minor(status.st_dev) || holder.pid <= 0)
      continue;
    holder.host = HostName();
    holder.boot = OwnBoot();
    holder.start = StartOf(holder.pid);
    if (MayRun(holder.pid, holder.start)) return holder;
  }
  return {};
}

bool IsHeld(int error) { return error == EWOULDBLOCK || error == EAGAIN || error == EACCES; }

// Returns whether the file system has no such lock.
bool IsMissing(int error) {
  return error == ENOLCK || error == ENOSYS || error == EOPNOTSUPP || error == EINVAL;
}

}  // namespace

const LockCalls kSystemLockCalls = {CallFlock, CallOfdLock, FindInKernel};

LockHolder LockHolder::Self(int rank) {
  return {HostName(), OwnBoot(), ::getpid(), StartOf(::getpid()), rank};
}

bool LockHolder::RunsHere() const {
  return known() && host == HostName() && MayBeThisBoot(boot) && MayRun(pid, start);
}

std::string LockHolder::Text() const {
  if (!known()) return "a process that it does not name";
  return StrCat("process ", pid, rank > 0 ? StrCat(" (rank ", rank, ")") : "", " of host ", host);
}

LockFile::LockFile(FileSystem* files, const std::string& path, const LockHolder& self,
                   const LockCalls& calls)
    : files_(*files),
      path_(path),
      self_(self),
      calls_(calls),
      file_(files->OpenLock(path)),
      held_(path + kHeldSuffix) {}

LockFile::~LockFile() {
  if (made_held_) try {
      for (const std::string& file : HeldFiles())
        if (HolderIn(OpenToRead(file).get()) == self_) files_.RemoveTree(file);
    } catch (const WriteError&) {  // the next process finds that the holder does not run
    }
}

bool LockFile::TryLock() {
  int error = calls_.flock(file_.get());
  if (IsMissing(error)) error = calls_.ofd_lock(file_.get());
  if (IsMissing(error)) return TryByFile();
  if (error == 0) {
    WriteSelf();
    return true;
  }
  if (!IsHeld(error)) ThrowWriteError(kExitIo, path_, "cannot lock", error);
  holder_ = calls_.holder_by_kernel(file_.get());
  runs_here_ = holder_.known();
  const LockHolder named = HolderIn(file_.get());
  if (!runs_here_ || named.pid == holder_.pid) holder_ = named;
  runs_here_ = runs_here_ || holder_.RunsHere();
  return false;
}

std::string LockFile::Remedy() const {
  return by_file_.empty() ? "a host that is gone loses it in time"
                          : StrCat("if that process has ended, remove ", by_file_);
}

// Takes the lock by making a file, which one process alone can do. First puts aside the file of a
// process that has ended.
bool LockFile::TryByFile() {
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (MakeHeld()) return !IsHeldAside();
    if (Ended(held_))
      PutHeldAside();
    else if (!by_file_.empty())
      return false;
  }
  return false;
}

// Returns whether the holder that `file` names has ended on this host. Sets by_file_ to `file`, or
// to "" if the file is gone.
bool LockFile::Ended(const std::string& file) {
  by_file_.clear();
  const Descriptor open = OpenToRead(file);
  if (open.get() < 0 && errno == ENOENT) return false;
  by_file_ = file;
  holder_ = HolderIn(open.get());
  runs_here_ = holder_.RunsHere();
  return holder_.known() && holder_.host == self_.host && !runs_here_;
}

// Returns the file that is the lock, and files that were put aside.
std::vector<std::string> LockFile::HeldFiles() const {
  const std::filesystem::path held(held_);
  const std::string folder = held.has_parent_path() ? held.parent_path().string() : ".";
  const std::string name = held.filename().string();
  std::vector<std::string> files;
  for (const std::string& entry : files_.List(folder))
    if (entry == name || entry.starts_with(name + ".")) files.push_back(folder + "/" + entry);
  return files;
}

// Returns whether another process holds the lock by a file that was put aside, and then removes
// this process's file. A file is put aside before another is made.
bool LockFile::IsHeldAside() {
  for (const std::string& file : HeldFiles()) {
    if (file.ends_with(kHeldSuffix)) continue;
    if (Ended(file)) {
      files_.RemoveTree(file);
    } else if (!by_file_.empty()) {
      files_.RemoveTree(held_);
      made_held_ = false;
      return true;
    }
  }
  return false;
}

// Makes the file of the lock. Returns false if the file exists.
bool LockFile::MakeHeld() {
  const std::string text = TextOf(self_);
  try {
    const auto file = files_.Create(held_);
    made_held_ = true;
    file->Write(text.data(), text.size());
    file->Close();
    return true;
  } catch (const WriteError& error) {
    if (!made_held_ && error.error() == EEXIST) return false;
    if (made_held_) files_.RemoveTree(held_);  // the file names nobody
    made_held_ = false;
    throw;
  }
}

// Puts the lock's file aside, and removes it if it is holder_'s. Another process may have done so,
// and have made its own file since holder_ was read. This file then stays the lock under its new
// name; putting it back could replace the file of a third process.
void LockFile::PutHeldAside() {
  const std::string aside = held_ + "." + RandomHex(8);
  try {
    files_.Rename(held_, aside);
  } catch (const WriteError& error) {
    if (error.error() == ENOENT) return;
    throw;
  }
  if (HolderIn(OpenToRead(aside).get()) == holder_) files_.RemoveTree(aside);
}

// Writes the holder's name for people and for processes that wait. Errors are ignored, since the
// lock holds without the name.
void LockFile::WriteSelf() {
  const std::string text = TextOf(self_);
  [[maybe_unused]] const bool written =
      ::ftruncate(file_.get(), 0) == 0 &&
      ::pwrite(file_.get(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
}

}  // namespace singa
