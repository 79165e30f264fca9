// PendingFile appends rows to a file on a disk that may refuse them for a while: it is full, a
// quota is used up, a server does not answer. Rows that cannot be written wait in memory and are
// written later, each once and in order. A partly written row is removed first.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/file/file_system.h"
#include "base/thread/clock.h"
#include "base/thread/mutex.h"

namespace singa {

// Called with one line when rows begin to wait, and when they have been written.
using Say = std::function<void(const std::string&)>;

struct PendingOptions {
  int64_t most_bytes = 64 << 20;  // maximum number of bytes that wait
  int64_t retry_after = kSecond;  // nanoseconds between two attempts that rows cause
  const Clock* clock = nullptr;   // null: the steady clock
  Say say = nullptr;              // null: no reports
};

// Any thread may call.
class PendingFile {
 public:
  // Opens the file at `path` to append rows, or makes it. Its name is durable on return. `files`
  // must outlive it. Throws WriteError if the file cannot be opened.
  PendingFile(FileSystem* files, const std::string& path, const PendingOptions& options = {});

  int64_t size();
  // Truncates the file to its first `bytes`. Throws WriteError. REQUIRES: no row was added yet.
  void Truncate(int64_t bytes);

  // Adds a row, and writes all waiting rows unless the last attempt failed less than retry_after
  // ago. Does not throw if the disk refuses.
  void Add(std::string_view row);
  // Writes the waiting rows and syncs the file. Throws WriteError if rows still wait or may not be
  // on the disk. After one failed sync all later calls throw: Linux marks the pages clean, and a
  // second fsync would succeed although rows may be lost.
  void Sync();
  // Returns whether more than most_bytes wait. The caller must then stop adding rows.
  bool Overflows() const;
  // Returns the errno of the last refused write; 0: none was refused.
  int error() const;
  // Returns the number of bytes that wait.
  int64_t waiting() const;

 private:
  void WriteWaiting() REQUIRES(mutex_);
  void Try() REQUIRES(mutex_);

  const std::string path_;
  const PendingOptions options_;
  const SteadyClock steady_;
  const Clock& clock_;
  mutable Mutex mutex_;
  const std::unique_ptr<AppendedFile> file_ PT_GUARDED_BY(mutex_);
  int64_t whole_ GUARDED_BY(mutex_) = 0;     // bytes of whole rows on the disk
  std::string waiting_ GUARDED_BY(mutex_);   // whole rows
  bool torn_ GUARDED_BY(mutex_) = false;     // the file may hold more than whole_
  bool refused_ GUARDED_BY(mutex_) = false;  // the last attempt, at tried_, was refused
  int error_ GUARDED_BY(mutex_) = 0;         // errno of the last refused write
  int64_t tried_ GUARDED_BY(mutex_) = 0;
  std::exception_ptr failed_sync_ GUARDED_BY(mutex_);  // the first failed sync; null: none
};

}  // namespace singa
