#include "io/file/pending_file.h"

namespace singa {

PendingFile::PendingFile(FileSystem* files, const std::string& path, const PendingOptions& options)
    : path_(path),
      options_(options),
      clock_(options.clock ? *options.clock : steady_),
      file_(files->Append(path)),
      whole_(file_->Size()) {
  // Also for an existing file: the process that made it may have been killed before it did this.
  files->SyncDirectory(FolderOf(path));
}

int64_t PendingFile::size() {
  const MutexLock lock(&mutex_);
  return file_->Size();
}

void PendingFile::Truncate(int64_t bytes) {
  const MutexLock lock(&mutex_);
  if (bytes != whole_) file_->Truncate(bytes);
  whole_ = bytes;
}

void PendingFile::Add(std::string_view row) {
  const MutexLock lock(&mutex_);
  waiting_ += row;
  if (refused_ && clock_.Now() - tried_ < options_.retry_after) return;
  try {
    WriteWaiting();
  } catch (const WriteError&) {  // WriteWaiting has reported it; the rows wait
  }
}

void PendingFile::Sync() {
  const MutexLock lock(&mutex_);
  WriteWaiting();
  if (failed_sync_) std::rethrow_exception(failed_sync_);
  try {
    file_->Sync();
  } catch (const WriteError&) {
    failed_sync_ = std::current_exception();
    throw;
  }
}

bool PendingFile::Overflows() const { return waiting() > options_.most_bytes; }

int PendingFile::error() const {
  const MutexLock lock(&mutex_);
  return error_;
}

int64_t PendingFile::waiting() const {
  const MutexLock lock(&mutex_);
  return static_cast<int64_t>(waiting_.size());
}

void PendingFile::Try() {
  if (torn_) file_->Truncate(whole_);
  torn_ = false;
  if (waiting_.empty()) return;
  torn_ = true;  // until the write is complete
  file_->Write(waiting_.data(), waiting_.size());
  torn_ = false;
  whole_ += static_cast<int64_t>(waiting_.size());
  waiting_.clear();
}

void PendingFile::WriteWaiting() {
  tried_ = clock_.Now();
  try {
    Try();
  } catch (const WriteError& error) {
    if (!refused_ && options_.say)
      options_.say(StrCat(error.what(),
                          "; the job goes on, its rows wait in memory until they can be written"));
    refused_ = true;
    error_ = error.error();
    throw;
  }
  if (refused_ && options_.say) options_.say(path_ + ": can be written again, no row is lost");
  refused_ = false;
}

}  // namespace singa
