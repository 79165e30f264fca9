#include "driver/log/log_file.h"

#include <pwd.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <ctime>
#include <filesystem>

#include "base/file/sha256.h"
#include "base/system/host_name.h"

namespace singa {
namespace {

constexpr size_t kMostWaiting = 1 << 20;  // bytes

std::string NewName(int rank) {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  std::array<char, 32> time = {};
  std::strftime(time.data(), time.size(), "%Y%m%d-%H%M%S", &local);
  return StrCat("singa.", HostName(), ".rank", rank, ".", time.data(), ".", ::getpid(), ".",
                RandomHex(4), ".log");
}

}  // namespace

LogFile::LogFile(const std::string& folder, int rank)
    : folder_(std::filesystem::path(folder).lexically_normal().string()), rank_(rank) {
  std::filesystem::path parent = std::filesystem::path(folder_ + "/").parent_path().parent_path();
  if (parent.empty()) parent = ".";
  PosixFileSystem().MakeDirectories(parent.string());
  files_ = std::make_unique<PosixFileSystem>(parent.string());
  files_->MakeDirectories(folder_);
}

void LogFile::Open() {
  const std::string name = NewName(rank_);
  file_ = files_->Create(folder_ + "/" + name);
  if (rank_ != 0) return;
  const std::string link = folder_ + "/singa.INFO", fresh = link + "." + RandomHex(4);
  files_->Symlink(name, fresh);
  files_->Rename(fresh, link);
}

void LogFile::Write(bool, time_t, const char* message, size_t bytes) {
  if (waiting_.size() + bytes <= kMostWaiting) waiting_.append(message, bytes);
  Flush();
}

// Writes the waiting lines. Lines that the disk refuses wait for the next call, as a job does not
// end because of its log.
void LogFile::Flush() {
  if (waiting_.empty()) return;
  try {
    if (!file_) Open();
    file_->Write(waiting_.data(), waiting_.size());
    bytes_ += static_cast<google::uint32>(waiting_.size());
    waiting_.clear();
  } catch (const WriteError& error) {
    if (!refused_)
      std::fprintf(stderr, "warning: %s; lines of the log may be lost\n", error.what());
    refused_ = true;
  }
}

}  // namespace singa
