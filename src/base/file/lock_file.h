// LockFile: at most one process at a time holds the lock of a file, which says who that is. Where
// the file system has no flock (some of NFS, Lustre, FUSE), other locks take its place.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/file/descriptor.h"
#include "base/file/file_system.h"

namespace singa {

// A process, as its lock file names it.
struct LockHolder {
  std::string host, boot;  // boot: the host's start, by its boot_id
  int64_t pid = 0;
  int64_t start = 0;  // of the process, in clock ticks since boot; -1: not known
  int rank = 0;

  static LockHolder Self(int rank);
  bool known() const { return pid > 0; }
  // Whether this process runs, on this host, now; also where the system cannot tell (MayRun). Of
  // other hosts and other pid namespaces: no.
  bool RunsHere() const;
  // "process 17 (rank 0) of host node3"; "a process that it does not name".
  std::string Text() const;
  bool operator==(const LockHolder&) const = default;
};

// The system's calls, which tests replace. Each returns 0 or errno's value.
struct LockCalls {
  int (*flock)(int file);                    // exclusive, does not wait
  int (*ofd_lock)(int file);                 // an open file description's lock of fcntl, likewise
  LockHolder (*holder_by_kernel)(int file);  // a live local process that holds flock; unknown: none
};
extern const LockCalls kSystemLockCalls;

class LockFile {
 public:
  // Opens the file at `path`, made when missing; `files` must outlive this. Throws WriteError.
  LockFile(FileSystem* files, const std::string& path, const LockHolder& self,
           const LockCalls& calls = kSystemLockCalls);
  ~LockFile();
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

  // Whether the lock is ours now. Does not wait. Throws WriteError for what is no other's lock.
  bool TryLock();
  // The process that holds the lock, if TryLock returned false.
  const LockHolder& holder() const { return holder_; }
  // Whether holder() is a live process of this host: no wait helps while it lives.
  bool HolderRunsHere() const { return runs_here_; }
  // Says how the lock gets free if holder() is gone.
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
  const std::string held_;  // the file that is the lock where the file system has none
  bool made_held_ = false;  // by us: the lock is ours
  std::string by_file_;     // the file by which holder() has it; "": the file system has locks
  LockHolder holder_;
  bool runs_here_ = false;
};

}  // namespace singa
