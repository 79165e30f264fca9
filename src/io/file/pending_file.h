// PendingFile: a file to which rows are added on a disk that may refuse them for a while: it is
// full, a quota is used up, a server does not answer. Rows that cannot be written wait in memory
// and are written later, each once and in order. A row that the disk took in part is taken back
// first.
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

// Hears when rows begin to wait and when they have been written, in one line each.
using Say = std::function<void(const std::string&)>;

struct PendingOptions {
  int64_t most_bytes = 64 << 20;  // that may wait
  int64_t retry_after = kSecond;  // nanoseconds between two attempts that rows cause
  const Clock* clock = nullptr;   // null: the steady clock
  Say say = nullptr;              // null: nobody hears
};

// Any thread may call.
class PendingFile {
 public:
  // Rows go behind what the file at `path` holds; it is made when missing. Its name is durable on
  // return. `files` must outlive it.
  // Throws WriteError where the file cannot be opened.
  PendingFile(FileSystem* files, const std::string& path, const PendingOptions& options = {});

  int64_t size();
  // Before the first row: cuts the file back to its first `bytes`. Throws WriteError.
  void Truncate(int64_t bytes);

  // Does not throw for what the disk says.
  void Add(std::string_view row);
  // Writes what waits and brings all rows to the disk. Throws WriteError where rows still wait, or
  // may not have come to the disk. Where a file could not be synced once, rows written before are
  // in doubt for ever: Linux calls them clean, and says of a second fsync that it succeeded.
  void Sync();
  // More waits than may: whoever adds must come to an end.
  bool Overflows() const;
  // errno's value of the last refusal to write; 0: there was none.
  int error() const;
  // Bytes that wait.
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
  bool refused_ GUARDED_BY(mutex_) = false;  // by the last attempt, which was at tried_
  int error_ GUARDED_BY(mutex_) = 0;         // of the last that was refused
  int64_t tried_ GUARDED_BY(mutex_) = 0;
  std::exception_ptr failed_sync_ GUARDED_BY(mutex_);  // the first; null: none failed
};

}  // namespace singa
