// LockFile locks a file for one process at a time. The file names the holder. On file systems
// without flock (some NFS, Lustre, FUSE) other locks take its place.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/file/file_system.h"
#include "base/system/descriptor.h"

namespace singa {

// A process, as a lock file names it.
struct LockHolder {
  std::string host = {}, boot = {};  // boot: boot_id of the host's start
  int64_t pid = 0;
  int64_t start = 0;  // start of the process, in clock ticks since boot; -1: unknown
  int rank = 0;

  static LockHolder Self(int rank);
  bool known() const { return pid > 0; }
  // Returns whether this process runs on this host now; true also if the system cannot tell
  // (MayRun). Returns false for processes of other hosts and other pid namespaces.
  bool RunsHere() const;
  // Returns, for example, "process 17 (rank 2) of host node3", or "a process that it does not
  // name".
  std::string Text() const;
  bool operator==(const LockHolder&) const = default;
};

// The system's calls, which tests replace. Each returns 0 or errno's value.
struct LockCalls {
  int (*flock)(int file);     // exclusive, does not wait
  int (*ofd_lock)(int file);  // fcntl's lock of an open file description; exclusive, does not wait
  LockHolder (*holder_by_kernel)(int file);  // a live local process that holds flock, or none
};
extern const LockCalls kSystemLockCalls;

class LockFile {
 public:
  // Opens the file at `path`, and creates it if it is missing. `files` must outlive this. Throws
  // WriteError.
  LockFile(FileSystem* files, const std::string& path, const LockHolder& self,
           const LockCalls& calls = kSystemLockCalls);
  ~LockFile();
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

  // Tries to take the lock without waiting. Returns whether this process has it now. Throws
  // WriteError for errors other than a lock of another process.
  bool TryLock();
  // The process that holds the lock, if TryLock returned false.
  const LockHolder& holder() const { return holder_; }
  // Returns whether holder() is a live process of this host, so that waiting does not help.
  bool HolderRunsHere() const { return runs_here_; }
  // Returns a text about how the lock becomes free if holder() is gone.
  std::string Remedy() const;

 private:
  bool TryByFile();
  bool MakeHeld();
  bool Ended(const std::string& file);
  std::vector<std::string> HeldFiles() const;
  bool IsHeldAside();
  void PutHeldAside();
  void WriteSelf();

  FileSystem& files_;
  const std::string path_;
  const LockHolder self_;
  const LockCalls calls_;
  Descriptor file_;
  const std::string held_;  // the file that serves as the lock on a file system without locks
  bool made_held_ = false;  // this process made held_, so it has the lock
  std::string by_file_;  // the file by which holder() has the lock; "": the file system has locks
  LockHolder holder_;
  bool runs_here_ = false;
};

}  // namespace singa
